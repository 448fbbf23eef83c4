using System.Collections.Generic;
using Microsoft.Xna.Framework;

namespace Sinew
{
    /// <summary>A named place on a joint, where things are attached.</summary>
    public sealed class Socket
    {
        /// <summary>Its name.</summary>
        public readonly string Name;

        /// <summary>The joint that it moves with.</summary>
        public readonly int Joint;

        /// <summary>Relative to the joint.</summary>
        public readonly Transform Offset;

        /// <summary>A place on a joint.</summary>
        public Socket(string name, int joint, Transform offset)
        {
            Name = name;
            Joint = joint;
            Offset = offset;
        }
    }

    /// <summary>
    /// The joints of a character: names, parents, rest and inverse binds. Joint <c>i</c> is <c>Model.Bones[i]</c>. Shared and never written after loading.
    /// </summary>
    public sealed class Skeleton
    {
        /// <summary>Names of the joints; null if the file (SkinningData v1) has none.</summary>
        public IReadOnlyList<string> Names { get; internal set; }

        /// <summary>Parent of each joint, which comes before it; -1 for a root.</summary>
        public IReadOnlyList<int> Parents { get { return ParentArray; } }

        /// <summary>Number of joints.</summary>
        public int Count { get { return ParentArray.Length; } }

        /// <summary>Named places on joints, where things are attached (<see cref="AnimationPlayer.TrySocket"/>).</summary>
        public IReadOnlyList<Socket> Sockets { get { return SocketArray; } }

        internal Socket[] SocketArray = new Socket[0];
        internal readonly int[] ParentArray;
        internal readonly int[] Roots;
        internal readonly Transform[] Rest;

        /// <summary>Null in files that hold clips only.</summary>
        internal readonly Matrix[] InverseBinds;

        internal Skeleton(string[] names, int[] parents, Transform[] rest, Matrix[] inverseBinds)
        {
            Names = names;
            ParentArray = parents;
            Rest = rest;
            InverseBinds = inverseBinds;
            var roots = new List<int>();
            for (int i = 0; i < parents.Length; i++)
                if (parents[i] < 0) roots.Add(i);
            Roots = roots.ToArray();
        }

        /// <summary>The transforms of the joints without animation.</summary>
        public Transform RestOf(int joint)
        {
            return Rest[joint];
        }

        /// <summary>Second stage: model matrices of a local pose, from the roots to the leaves.</summary>
        public void LocalToModel(Transform[] pose, Matrix[] model)
        {
            for (int joint = 0; joint < ParentArray.Length; joint++)
            {
                int parent = ParentArray[joint];
                Matrix local;
                pose[joint].ToMatrix(out local);
                if (parent < 0) model[joint] = local;
                else Matrix.Multiply(ref local, ref model[parent], out model[joint]);
            }
        }

        /// <summary>Third stage: the matrices that carry vertices from bind to pose.</summary>
        public void ModelToSkin(Matrix[] model, Matrix[] skin)
        {
            for (int joint = 0; joint < InverseBinds.Length; joint++)
                Matrix.Multiply(ref InverseBinds[joint], ref model[joint], out skin[joint]);
        }
    }
}
