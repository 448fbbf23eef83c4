using System.IO;
using Microsoft.Xna.Framework.Content;

namespace Sinew
{
    /// <summary>
    /// Reads <see cref="SkinningData"/>: <c>Content.Load&lt;Model&gt;</c> finds it by the name in the file,
    /// <c>Sinew.SkinningDataReader, Sinew.MonoGame</c>. If these sources are compiled into a game's own assembly, set <c>reader</c> in
    /// <c>sinew.toml</c> to <c>Sinew.SkinningDataReader, TheGame</c>.
    /// </summary>
    public sealed class SkinningDataReader : ContentTypeReader<SkinningData>
    {
        /// <summary>Reads either version.</summary>
        protected override SkinningData Read(ContentReader input, SkinningData existingInstance)
        {
            return Read(input, "SkinningData of '" + input.AssetName + "'");
        }

        /// <summary>Reads either version; messages call it <paramref name="what"/>.</summary>
        internal static SkinningData Read(BinaryReader input, string what)
        {
            try
            {
                int first = input.ReadInt32();
                if (first != SkinningDataV2.Magic) return new SkinningDataV1(input, what).Read(first);
                byte[] bytes = ByteCursor.ReadAll(input, input.ReadUInt32(), what);
                return SkinningDataV2.Read(new ByteCursor(bytes, what));
            }
            catch (EndOfStreamException)
            {
                throw new ContentLoadException(what + " is truncated: the file ends within it. Build it again");
            }
        }
    }
}
