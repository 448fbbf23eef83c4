using System.Collections.Generic;
using Microsoft.Xna.Framework;
using Microsoft.Xna.Framework.Content;
using Microsoft.Xna.Framework.Graphics;

namespace Sinew
{
    /// <summary>One part of the model, and what is needed to draw it.</summary>
    sealed class ModelPart
    {
        public readonly ModelMeshPart Part;
        public readonly int Joint;
        public readonly bool IsSkinned;

        /// <summary>The joints that blend indices mean, or null for all.</summary>
        public readonly int[] Table;
        readonly Matrix[] gathered;

        ModelPart(ModelMesh mesh, ModelMeshPart part, int[] table)
        {
            Part = part;
            Joint = mesh.ParentBone.Index;
            IsSkinned = HasBlendIndices(part.VertexBuffer.VertexDeclaration);
            Table = table;
            gathered = table == null ? null : new Matrix[table.Length];
        }

        public static ModelPart[] All(Model model, SkinningData data, string asset)
        {
            var parts = new List<ModelPart>();
            for (int m = 0; m < model.Meshes.Count; m++)
            {
                var mesh = model.Meshes[m];
                for (int p = 0; p < mesh.MeshParts.Count; p++)
                {
                    var table = data.BoneTables.Find(t => t.Mesh == m && t.Part == p);
                    var part = new ModelPart(mesh, mesh.MeshParts[p], table == null ? null : table.Joints);
                    if (part.IsSkinned && table == null && data.Skeleton.Count > BoneTable.Most)
                        throw new ContentLoadException("'" + asset + "': a part of mesh '" + mesh.Name + "' has no table for " + data.Skeleton.Count + " joints; SkinnedEffect takes "
                            + BoneTable.Most + ". Build it with over-72 = \"split\"");
                    parts.Add(part);
                }
            }
            return parts.ToArray();
        }

        static bool HasBlendIndices(VertexDeclaration declaration)
        {
            foreach (var element in declaration.GetVertexElements())
                if (element.VertexElementUsage == VertexElementUsage.BlendIndices) return true;
            return false;
        }

        /// <summary>The matrices that this part's blend indices mean.</summary>
        public Matrix[] Bones(Matrix[] skin)
        {
            if (Table == null) return skin;
            for (int i = 0; i < Table.Length; i++) gathered[i] = skin[Table[i]];
            return gathered;
        }

        public void Draw(Effect effect, VertexBuffer vertices)
        {
            if (Part.PrimitiveCount == 0) return;
            var device = vertices.GraphicsDevice;
            device.SetVertexBuffer(vertices);
            device.Indices = Part.IndexBuffer;
            var passes = effect.CurrentTechnique.Passes;
            for (int i = 0; i < passes.Count; i++)
            {
                passes[i].Apply();
                // The overload that XNA and FNA have too; MonoGame marks it as old.
#pragma warning disable 618
                device.DrawIndexedPrimitives(PrimitiveType.TriangleList, Part.VertexOffset, 0, Part.NumVertices, Part.StartIndex, Part.PrimitiveCount);
#pragma warning restore 618
            }
        }
    }
}
