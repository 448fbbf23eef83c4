using System;
using System.IO;
using System.Text;
using Microsoft.Xna.Framework;
using Microsoft.Xna.Framework.Content;

namespace Sinew
{
    /// <summary>Reads numbers and names from a stretch of bytes. What is missing or impossible is an exception that says where.</summary>
    sealed class ByteCursor
    {
        static readonly UTF8Encoding Utf8 = new UTF8Encoding(false, true);

        readonly byte[] bytes;
        readonly int end;
        readonly string what;
        int at;

        public ByteCursor(byte[] bytes, string what) : this(bytes, 0, bytes.Length, what) { }

        ByteCursor(byte[] bytes, int start, int end, string what)
        {
            this.bytes = bytes;
            this.what = what;
            this.end = end;
            at = start;
        }

        /// <summary>At most so many bytes of a stream, in blocks: a wrong length does not reserve memory.</summary>
        public static byte[] ReadAll(BinaryReader reader, uint length, string what)
        {
            using (var all = new MemoryStream())
            {
                while (all.Length < length)
                {
                    byte[] block = reader.ReadBytes((int)Math.Min(length - all.Length, 1 << 16));
                    if (block.Length == 0)
                        throw new ContentLoadException(what + " is truncated: it says that it has " + length + " bytes, and the file ends after " + all.Length);
                    all.Write(block, 0, block.Length);
                }
                return all.ToArray();
            }
        }

        public bool AtEnd { get { return at == end; } }

        public Exception Error(string message)
        {
            return new ContentLoadException(what + ", byte " + at + ": " + message);
        }

        int Take(int count, string of)
        {
            if (count > end - at) throw Error("truncated: " + of + " needs " + count + " bytes and there are " + (end - at));
            at += count;
            return at - count;
        }

        /// <summary>The next chunk: a cursor over its bytes.</summary>
        public ByteCursor Chunk(out string id)
        {
            int start = Take(4, "the name of a chunk");
            id = Encoding.ASCII.GetString(bytes, start, 4);
            uint length = unchecked((uint)Int32());
            if (length > end - at) throw Error("truncated: chunk " + id + " has " + length + " bytes and there are " + (end - at));
            int from = Take((int)length, id);
            return new ByteCursor(bytes, from, at, what + ", chunk " + id);
        }

        public byte Byte()
        {
            return bytes[Take(1, "a byte")];
        }

        public int UInt16()
        {
            return BitConverter.ToUInt16(bytes, Take(2, "a number"));
        }

        public int Int32()
        {
            return BitConverter.ToInt32(bytes, Take(4, "a number"));
        }

        public float Single()
        {
            float value = BitConverter.ToSingle(bytes, Take(4, "a number"));
            if (float.IsNaN(value) || float.IsInfinity(value)) throw Error("a number is not finite");
            return value;
        }

        /// <summary>Seven bits a byte, lowest first.</summary>
        public int Number()
        {
            long value = 0;
            for (int shift = 0; shift < 35; shift += 7)
            {
                byte next = Byte();
                value |= (long)(next & 0x7F) << shift;
                if (next < 0x80)
                {
                    if (value > int.MaxValue) break;
                    return (int)value;
                }
            }
            throw Error("a number is too large");
        }

        /// <summary>A number of things that have at least so many bytes each: more than there is room for are refused before memory is reserved.</summary>
        public int Count(int bytesEach, string of)
        {
            int count = Number();
            Room(count, bytesEach, of);
            return count;
        }

        public void Room(int count, int bytesEach, string of)
        {
            if ((long)count * bytesEach > end - at) throw Error("truncated: there is no room for " + count + " " + of);
        }

        /// <summary>A number below a limit.</summary>
        public int Index(int limit, string of)
        {
            return Below(Number(), limit, of);
        }

        public int Below(int index, int limit, string of)
        {
            if (index >= limit) throw Error("there is no " + of + " " + index + ": there are " + limit);
            return index;
        }

        public string String()
        {
            int length = Count(1, "bytes of a name");
            try
            {
                return Utf8.GetString(bytes, Take(length, "a name"), length);
            }
            catch (DecoderFallbackException)
            {
                throw Error("a name is not UTF-8");
            }
        }

        /// <summary>A name, or null where it is empty.</summary>
        public string OptionalString()
        {
            string text = String();
            return text.Length == 0 ? null : text;
        }

        public Vector3 Vector3()
        {
            return new Vector3(Single(), Single(), Single());
        }

        public Quaternion Rotation()
        {
            var q = new Quaternion(Single(), Single(), Single(), Single());
            if (Math.Abs(q.LengthSquared() - 1) > 1e-3f) throw Error("a rotation is not a unit quaternion");
            return q;
        }

        public Transform Transform()
        {
            return new Transform { Translation = Vector3(), Rotation = Rotation(), Scale = Vector3() };
        }

        public Matrix Matrix()
        {
            return new Matrix(
                Single(), Single(), Single(), Single(),
                Single(), Single(), Single(), Single(),
                Single(), Single(), Single(), Single(),
                Single(), Single(), Single(), Single());
        }
    }
}
