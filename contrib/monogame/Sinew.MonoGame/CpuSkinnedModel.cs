using System;
using System.Collections.Generic;
using Microsoft.Xna.Framework;
using Microsoft.Xna.Framework.Graphics;

namespace Sinew
{
    /// <summary>
    /// One instance of a character whose vertices the processor moves, for effects that do not skin: <c>BasicEffect</c>, <c>AlphaTestEffect</c> or a game's
    /// own. Each instance has vertex buffers of its own; dispose of it when the instance goes.
    /// </summary>
    public sealed class CpuSkinnedModel : IDisposable
    {
        readonly AnimatedModel character;
        readonly List<SkinnedBuffer> buffers = new List<SkinnedBuffer>();
        // The buffer of each part; null for a rigid one.
        readonly SkinnedBuffer[] bufferOf;

        /// <summary>Makes the buffers. It reads the model's vertices back from the device, which OpenGL ES does not allow.</summary>
        public CpuSkinnedModel(AnimatedModel character)
        {
            this.character = character;
            bufferOf = new SkinnedBuffer[character.Parts.Count];
            for (int i = 0; i < bufferOf.Length; i++)
                if (character.Parts[i].IsSkinned) bufferOf[i] = BufferFor(character.Parts[i].Part.VertexBuffer);
        }

        SkinnedBuffer BufferFor(VertexBuffer source)
        {
            var buffer = buffers.Find(b => b.Source == source);
            if (buffer == null) buffers.Add(buffer = new SkinnedBuffer(source));
            return buffer;
        }

        /// <summary>Moves the vertices to where a player is. Call it once a frame.</summary>
        public void Update(AnimationPlayer player)
        {
            for (int i = 0; i < bufferOf.Length; i++)
            {
                var part = character.Parts[i];
                if (bufferOf[i] != null) bufferOf[i].Skin(part.Part.VertexOffset, part.Part.NumVertices, part.Bones(player.SkinMatrices));
            }
            foreach (var buffer in buffers) buffer.Upload();
        }

        /// <summary>Draws all parts with one effect, with the texture of each part's own.</summary>
        public void Draw(AnimationPlayer player, Effect effect, Matrix world, Matrix view, Matrix projection)
        {
            for (int i = 0; i < bufferOf.Length; i++)
            {
                var part = character.Parts[i];
                var place = world;
                if (bufferOf[i] == null) Matrix.Multiply(ref player.ModelMatrices[part.Joint], ref world, out place);
                EffectValues.SetMatrices(effect, ref place, ref view, ref projection);
                EffectValues.CopyTexture(part.Part.Effect, effect);
                part.Draw(effect, bufferOf[i] == null ? part.Part.VertexBuffer : bufferOf[i].Target);
            }
        }

        /// <summary>Frees the buffers.</summary>
        public void Dispose()
        {
            foreach (var buffer in buffers) buffer.Target.Dispose();
        }

        /// <summary>A vertex buffer of the model, and the one that its moved vertices go to.</summary>
        sealed class SkinnedBuffer
        {
            public readonly VertexBuffer Source;
            public readonly DynamicVertexBuffer Target;

            // Whole vertices as they are uploaded; only positions and normals are written again.
            readonly float[] vertices;
            readonly int stride, positionAt, normalAt;
            readonly Vector3[] positions, normals;
            readonly byte[] indices;
            readonly Vector4[] weights;

            public SkinnedBuffer(VertexBuffer source)
            {
                Source = source;
                var declaration = source.VertexDeclaration;
                var bytes = new byte[source.VertexCount * declaration.VertexStride];
                source.GetData(0, bytes, 0, bytes.Length, 1);
                vertices = new float[bytes.Length / 4];
                Buffer.BlockCopy(bytes, 0, vertices, 0, bytes.Length);
                stride = declaration.VertexStride / 4;
                positionAt = Offset(declaration, VertexElementUsage.Position, VertexElementFormat.Vector3);
                normalAt = Offset(declaration, VertexElementUsage.Normal, VertexElementFormat.Vector3);
                positions = Vectors(positionAt);
                normals = Vectors(normalAt);
                indices = Indices(bytes, Offset(declaration, VertexElementUsage.BlendIndices, VertexElementFormat.Byte4));
                weights = Weights(Offset(declaration, VertexElementUsage.BlendWeight, VertexElementFormat.Vector4));
                Target = new DynamicVertexBuffer(source.GraphicsDevice, declaration, source.VertexCount, BufferUsage.WriteOnly);
            }

            /// <summary>Where an element lies in a vertex, in floats.</summary>
            static int Offset(VertexDeclaration declaration, VertexElementUsage usage, VertexElementFormat format)
            {
                foreach (var element in declaration.GetVertexElements())
                    if (element.VertexElementUsage == usage && element.VertexElementFormat == format) return element.Offset / 4;
                throw new NotSupportedException("skinning on the processor needs vertices with " + usage + " as " + format);
            }

            Vector3[] Vectors(int at)
            {
                var result = new Vector3[Source.VertexCount];
                for (int i = 0; i < result.Length; i++, at += stride) result[i] = new Vector3(vertices[at], vertices[at + 1], vertices[at + 2]);
                return result;
            }

            Vector4[] Weights(int at)
            {
                var result = new Vector4[Source.VertexCount];
                for (int i = 0; i < result.Length; i++, at += stride)
                    result[i] = new Vector4(vertices[at], vertices[at + 1], vertices[at + 2], vertices[at + 3]);
                return result;
            }

            byte[] Indices(byte[] bytes, int at)
            {
                var result = new byte[Source.VertexCount * 4];
                for (int i = 0; i < Source.VertexCount; i++) Buffer.BlockCopy(bytes, (i * stride + at) * 4, result, i * 4, 4);
                return result;
            }

            public void Skin(int first, int count, Matrix[] bones)
            {
                for (int vertex = first; vertex < first + count; vertex++)
                {
                    var sum = new Matrix();
                    var weight = weights[vertex];
                    Add(ref sum, ref bones[indices[vertex * 4]], weight.X);
                    if (weight.Y != 0) Add(ref sum, ref bones[indices[vertex * 4 + 1]], weight.Y);
                    if (weight.Z != 0) Add(ref sum, ref bones[indices[vertex * 4 + 2]], weight.Z);
                    if (weight.W != 0) Add(ref sum, ref bones[indices[vertex * 4 + 3]], weight.W);
                    Vector3 moved;
                    Vector3.Transform(ref positions[vertex], ref sum, out moved);
                    Write(vertex * stride + positionAt, ref moved);
                    TurnNormal(ref normals[vertex], ref sum, out moved);
                    Write(vertex * stride + normalAt, ref moved);
                }
            }

            void Write(int at, ref Vector3 value)
            {
                vertices[at] = value.X;
                vertices[at + 1] = value.Y;
                vertices[at + 2] = value.Z;
            }

            public void Upload()
            {
                Target.SetData(vertices, 0, vertices.Length, SetDataOptions.Discard);
            }

            static void Add(ref Matrix sum, ref Matrix m, float weight)
            {
                sum.M11 += m.M11 * weight; sum.M12 += m.M12 * weight; sum.M13 += m.M13 * weight;
                sum.M21 += m.M21 * weight; sum.M22 += m.M22 * weight; sum.M23 += m.M23 * weight;
                sum.M31 += m.M31 * weight; sum.M32 += m.M32 * weight; sum.M33 += m.M33 * weight;
                sum.M41 += m.M41 * weight; sum.M42 += m.M42 * weight; sum.M43 += m.M43 * weight;
            }

            /// <summary>By the inverse transpose, from cross products of the rows: normals stay at right angles to the surface under any scale.</summary>
            static void TurnNormal(ref Vector3 normal, ref Matrix m, out Vector3 result)
            {
                var x = new Vector3(m.M11, m.M12, m.M13);
                var y = new Vector3(m.M21, m.M22, m.M23);
                var z = new Vector3(m.M31, m.M32, m.M33);
                var yz = Vector3.Cross(y, z);
                result = yz * normal.X + Vector3.Cross(z, x) * normal.Y + Vector3.Cross(x, y) * normal.Z;
                if (Vector3.Dot(x, yz) < 0) result = -result;
                float square = result.LengthSquared();
                if (square > 1.2e-38f && square < float.PositiveInfinity) result *= (float)(1 / Math.Sqrt(square));
                else result = normal;
            }
        }
    }
}
