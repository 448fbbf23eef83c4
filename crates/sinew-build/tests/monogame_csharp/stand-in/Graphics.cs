using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace Microsoft.Xna.Framework.Graphics
{
    public enum PrimitiveType { TriangleList }
    public enum BufferUsage { None, WriteOnly }
    public enum SetDataOptions { None, Discard }
    public enum GraphicsProfile { Reach, HiDef }
    public enum VertexElementFormat { Vector2 = 1, Vector3, Vector4, Byte4 = 5 }
    public enum VertexElementUsage { Position = 0, TextureCoordinate = 2, Normal = 3, BlendIndices = 6, BlendWeight = 7 }

    public sealed class DepthStencilState
    {
        public static readonly DepthStencilState Default = new DepthStencilState();
    }

    public sealed class Viewport
    {
        public float AspectRatio { get { return 1; } }
    }

    /// <summary>Counts what is drawn, and tells which vertices.</summary>
    public sealed class GraphicsDevice
    {
        public int DrawnParts;
        public Action<int, int> Drawn;
        public VertexBuffer Vertices { get; private set; }
        public IndexBuffer Indices { get; set; }
        public DepthStencilState DepthStencilState { get; set; }
        public Viewport Viewport { get { return new Viewport(); } }

        public void Clear(Color color) { }

        public void SetVertexBuffer(VertexBuffer vertices)
        {
            Vertices = vertices;
        }

        public void DrawIndexedPrimitives(PrimitiveType type, int baseVertex, int minVertexIndex, int numVertices, int startIndex, int primitiveCount)
        {
            if (baseVertex + numVertices > Vertices.VertexCount) throw new ArgumentException("vertices are missing");
            if (startIndex + primitiveCount * 3 > Indices.IndexCount) throw new ArgumentException("indices are missing");
            DrawnParts++;
            if (Drawn != null) Drawn(baseVertex, numVertices);
        }
    }

    public struct VertexElement
    {
        public int Offset { get; set; }
        public VertexElementFormat VertexElementFormat { get; set; }
        public VertexElementUsage VertexElementUsage { get; set; }
    }

    public sealed class VertexDeclaration
    {
        readonly VertexElement[] elements;

        public VertexDeclaration(int stride, VertexElement[] elements)
        {
            VertexStride = stride;
            this.elements = elements;
        }

        public int VertexStride { get; private set; }

        public VertexElement[] GetVertexElements()
        {
            return (VertexElement[])elements.Clone();
        }
    }

    public class VertexBuffer : IDisposable
    {
        protected readonly byte[] Bytes;

        public VertexBuffer(GraphicsDevice device, VertexDeclaration declaration, int count, byte[] bytes)
        {
            GraphicsDevice = device;
            VertexDeclaration = declaration;
            VertexCount = count;
            Bytes = bytes;
        }

        public GraphicsDevice GraphicsDevice { get; private set; }
        public VertexDeclaration VertexDeclaration { get; private set; }
        public int VertexCount { get; private set; }

        public void GetData<T>(int offset, T[] data, int start, int count, int stride) where T : struct
        {
            if (stride != Marshal.SizeOf(typeof(T))) throw new NotSupportedException();
            Buffer.BlockCopy(Bytes, offset, data, start * stride, count * stride);
        }

        public void Dispose() { }
    }

    public sealed class DynamicVertexBuffer : VertexBuffer
    {
        public DynamicVertexBuffer(GraphicsDevice device, VertexDeclaration declaration, int count, BufferUsage usage)
            : base(device, declaration, count, new byte[count * declaration.VertexStride]) { }

        public void SetData<T>(T[] data, int start, int count, SetDataOptions options) where T : struct
        {
            int size = Buffer.ByteLength(data) / data.Length;
            Buffer.BlockCopy(data, start * size, Bytes, 0, count * size);
        }
    }

    public sealed class IndexBuffer
    {
        public IndexBuffer(int count)
        {
            IndexCount = count;
        }

        public int IndexCount { get; private set; }
    }

    public sealed class Texture2D { }

    public sealed class EffectParameter
    {
        public object Value { get; private set; }

        public void SetValue(Matrix value)
        {
            Value = value;
        }

        public void SetValue(Matrix[] value)
        {
            Value = value;
        }

        public void SetValue(Texture2D value)
        {
            Value = value;
        }

        public Texture2D GetValueTexture2D()
        {
            return (Texture2D)Value;
        }
    }

    public sealed class EffectParameterCollection
    {
        readonly Dictionary<string, EffectParameter> parameters = new Dictionary<string, EffectParameter>();

        public EffectParameter this[string name]
        {
            get
            {
                EffectParameter found;
                return parameters.TryGetValue(name, out found) ? found : null;
            }
        }

        public EffectParameter Add(string name)
        {
            return parameters[name] = new EffectParameter();
        }
    }

    public sealed class EffectPass
    {
        public void Apply() { }
    }

    public sealed class EffectPassCollection
    {
        readonly EffectPass pass = new EffectPass();
        public int Count { get { return 1; } }
        public EffectPass this[int index] { get { return pass; } }
    }

    public sealed class EffectTechnique
    {
        public EffectTechnique()
        {
            Passes = new EffectPassCollection();
        }

        public EffectPassCollection Passes { get; private set; }
    }

    public class Effect
    {
        public Effect()
        {
            Parameters = new EffectParameterCollection();
            CurrentTechnique = new EffectTechnique();
        }

        public EffectParameterCollection Parameters { get; private set; }
        public EffectTechnique CurrentTechnique { get; private set; }
    }

    public interface IEffectMatrices
    {
        Matrix World { get; set; }
        Matrix View { get; set; }
        Matrix Projection { get; set; }
    }

    public interface IEffectLights
    {
        void EnableDefaultLighting();
    }

    public class BasicEffect : Effect, IEffectMatrices, IEffectLights
    {
        public BasicEffect(GraphicsDevice device)
        {
            Parameters.Add("Texture");
        }

        public Matrix World { get; set; }
        public Matrix View { get; set; }
        public Matrix Projection { get; set; }
        public void EnableDefaultLighting() { }
    }

    public sealed class SkinnedEffect : BasicEffect
    {
        public const int MaxBones = 72;

        public SkinnedEffect(GraphicsDevice device) : base(device) { }

        public int BonesSet { get; private set; }

        public void SetBoneTransforms(Matrix[] bones)
        {
            if (bones.Length == 0 || bones.Length > MaxBones) throw new ArgumentException("SkinnedEffect takes 1 to 72 bones");
            BonesSet = bones.Length;
        }
    }

    public sealed class ModelBone
    {
        public int Index;
        public string Name;
        public Matrix Transform;
        public ModelBone Parent;
    }

    public sealed class ModelMeshPart
    {
        public int VertexOffset, NumVertices, StartIndex, PrimitiveCount;
        public VertexBuffer VertexBuffer;
        public IndexBuffer IndexBuffer;
        public Effect Effect;
    }

    public sealed class ModelMesh
    {
        public string Name;
        public ModelBone ParentBone;
        public readonly List<ModelMeshPart> MeshParts = new List<ModelMeshPart>();
    }

    public sealed class Model
    {
        public readonly List<ModelBone> Bones = new List<ModelBone>();
        public readonly List<ModelMesh> Meshes = new List<ModelMesh>();
        public ModelBone Root;
        public object Tag;
    }
}
