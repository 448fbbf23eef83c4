using System;
using System.Collections.Generic;
using System.IO;
using Microsoft.Xna.Framework.Graphics;

namespace Microsoft.Xna.Framework.Content
{
    public class ContentLoadException : Exception
    {
        public ContentLoadException(string message) : base(message) { }
        public ContentLoadException(string message, Exception inner) : base(message, inner) { }
    }

    public abstract class ContentTypeReader
    {
        protected internal abstract object Read(ContentReader input, object existing);
    }

    public abstract class ContentTypeReader<T> : ContentTypeReader
    {
        protected internal override object Read(ContentReader input, object existing)
        {
            return Read(input, existing == null ? default(T) : (T)existing);
        }

        protected internal abstract T Read(ContentReader input, T existing);
    }

    /// <summary>Finds files in a folder and loads each once.</summary>
    public sealed class ContentManager
    {
        readonly string root;
        readonly Dictionary<string, object> loaded = new Dictionary<string, object>();
        public readonly GraphicsDevice Device = new GraphicsDevice();

        public ContentManager(string root)
        {
            this.root = root;
        }

        public string RootDirectory { get; set; }

        public T Load<T>(string asset)
        {
            object found;
            if (!loaded.TryGetValue(asset, out found))
            {
                string path = Path.Combine(root, asset + ".xnb");
                if (!File.Exists(path)) throw new ContentLoadException("there is no " + path);
                using (var reader = new ContentReader(this, new MemoryStream(File.ReadAllBytes(path)), asset)) found = reader.ReadFile();
                loaded[asset] = found;
            }
            if (!(found is T)) throw new ContentLoadException("'" + asset + "' is a " + found.GetType());
            return (T)found;
        }
    }

    /// <summary>Reads one XNB file: header, table of readers, the object, and what it shares.</summary>
    public sealed class ContentReader : BinaryReader
    {
        readonly ContentManager content;
        string[] types;
        readonly List<KeyValuePair<int, Action<object>>> fixups = new List<KeyValuePair<int, Action<object>>>();

        public ContentReader(ContentManager content, Stream stream, string asset) : base(stream)
        {
            this.content = content;
            AssetName = asset;
        }

        public string AssetName { get; private set; }

        public object ReadFile()
        {
            if (ReadByte() != 'X' || ReadByte() != 'N' || ReadByte() != 'B') throw new ContentLoadException("no XNB");
            char platform = (char)ReadByte();
            int version = ReadByte(), flags = ReadByte();
            if ("dw".IndexOf(platform) < 0 || version != 5 || flags > 1) throw new ContentLoadException("not an XNB that this reads");
            if (ReadInt32() != BaseStream.Length) throw new ContentLoadException("the file is not as long as it says");
            types = new string[Read7BitEncodedInt()];
            for (int i = 0; i < types.Length; i++)
            {
                types[i] = ReadString();
                ReadInt32();
            }
            var shared = new object[Read7BitEncodedInt()];
            object primary = ReadAny();
            for (int i = 0; i < shared.Length; i++) shared[i] = ReadAny();
            foreach (var fixup in fixups) fixup.Value(shared[fixup.Key]);
            if (BaseStream.Position != BaseStream.Length) throw new ContentLoadException("bytes are left over");
            return primary;
        }

        object ReadAny()
        {
            int type = Read7BitEncodedInt();
            if (type == 0) return null;
            string name = types[type - 1];
            const string stock = "Microsoft.Xna.Framework.Content.";
            if (!name.StartsWith(stock)) return ReadByReader(name);
            switch (name.Substring(stock.Length).Split(',')[0])
            {
                case "StringReader": return ReadString();
                case "ModelReader": return ReadModel();
                case "VertexBufferReader": return ReadVertexBuffer();
                case "IndexBufferReader": return ReadIndexBuffer();
                case "SkinnedEffectReader": return ReadSkinnedEffect();
                case "BasicEffectReader": return ReadBasicEffect();
                case "Texture2DReader": return ReadTexture();
                default: throw new ContentLoadException("no reader for " + name);
            }
        }

        object ReadByReader(string name)
        {
            var type = Type.GetType(name);
            if (type == null) throw new ContentLoadException("there is no type " + name);
            return ((ContentTypeReader)Activator.CreateInstance(type)).Read(this, null);
        }

        Model ReadModel()
        {
            var model = new Model();
            int bones = ReadInt32();
            for (int i = 0; i < bones; i++) model.Bones.Add(new ModelBone { Index = i, Name = (string)ReadAny(), Transform = ReadMatrix() });
            foreach (var bone in model.Bones)
            {
                bone.Parent = ReadBone(model);
                for (int children = ReadInt32(); children > 0; children--) ReadBone(model);
            }
            for (int meshes = ReadInt32(); meshes > 0; meshes--) model.Meshes.Add(ReadMesh(model));
            model.Root = ReadBone(model);
            model.Tag = ReadAny();
            return model;
        }

        ModelBone ReadBone(Model model)
        {
            long number = model.Bones.Count < 255 ? ReadByte() : ReadUInt32();
            return number == 0 ? null : model.Bones[(int)(number - 1)];
        }

        ModelMesh ReadMesh(Model model)
        {
            var mesh = new ModelMesh { Name = (string)ReadAny(), ParentBone = ReadBone(model) };
            for (int sphere = 0; sphere < 4; sphere++) ReadSingle();
            ReadAny();
            for (int parts = ReadInt32(); parts > 0; parts--)
            {
                var part = new ModelMeshPart { VertexOffset = ReadInt32(), NumVertices = ReadInt32(), StartIndex = ReadInt32(), PrimitiveCount = ReadInt32() };
                ReadAny();
                ReadShared(o => part.VertexBuffer = (VertexBuffer)o);
                ReadShared(o => part.IndexBuffer = (IndexBuffer)o);
                ReadShared(o => part.Effect = (Effect)o);
                mesh.MeshParts.Add(part);
            }
            return mesh;
        }

        void ReadShared(Action<object> fixup)
        {
            int number = Read7BitEncodedInt();
            if (number > 0) fixups.Add(new KeyValuePair<int, Action<object>>(number - 1, fixup));
        }

        VertexBuffer ReadVertexBuffer()
        {
            int stride = ReadInt32();
            var elements = new VertexElement[ReadInt32()];
            for (int i = 0; i < elements.Length; i++)
            {
                int offset = ReadInt32();
                var format = (VertexElementFormat)ReadInt32();
                elements[i] = new VertexElement { Offset = offset, VertexElementFormat = format, VertexElementUsage = (VertexElementUsage)ReadInt32() };
                ReadInt32();
            }
            int count = ReadInt32();
            return new VertexBuffer(content.Device, new VertexDeclaration(stride, elements), count, ReadBytes(count * stride));
        }

        IndexBuffer ReadIndexBuffer()
        {
            int size = ReadBoolean() ? 2 : 4;
            int bytes = ReadInt32();
            ReadBytes(bytes);
            return new IndexBuffer(bytes / size);
        }

        SkinnedEffect ReadSkinnedEffect()
        {
            var effect = new SkinnedEffect(content.Device);
            ReadTextureReference(effect);
            ReadInt32();
            for (int values = 0; values < 11; values++) ReadSingle();
            return effect;
        }

        BasicEffect ReadBasicEffect()
        {
            var effect = new BasicEffect(content.Device);
            ReadTextureReference(effect);
            for (int values = 0; values < 11; values++) ReadSingle();
            ReadBoolean();
            return effect;
        }

        void ReadTextureReference(Effect effect)
        {
            string name = ReadString();
            if (name == "") return;
            int slash = AssetName.LastIndexOf('/');
            effect.Parameters["Texture"].SetValue(content.Load<Texture2D>(AssetName.Substring(0, slash + 1) + name));
        }

        Texture2D ReadTexture()
        {
            ReadInt32();
            ReadInt32();
            ReadInt32();
            for (int levels = ReadInt32(); levels > 0; levels--) ReadBytes(ReadInt32());
            return new Texture2D();
        }

        public Matrix ReadMatrix()
        {
            return new Matrix(
                ReadSingle(), ReadSingle(), ReadSingle(), ReadSingle(), ReadSingle(), ReadSingle(), ReadSingle(), ReadSingle(),
                ReadSingle(), ReadSingle(), ReadSingle(), ReadSingle(), ReadSingle(), ReadSingle(), ReadSingle(), ReadSingle());
        }
    }
}
