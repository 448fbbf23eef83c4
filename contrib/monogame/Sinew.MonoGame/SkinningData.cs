using System.Collections.Generic;

namespace Sinew
{
    /// <summary>
    /// What <c>sinew build</c> puts into the tag of a model, or into a file of clips: the skeleton, clips, and how the parts of the model
    /// refer to joints. <see cref="AnimatedModel"/> and <see cref="AnimationPlayer"/> play it.
    /// </summary>
    public sealed class SkinningData
    {
        /// <summary>The joints.</summary>
        public Skeleton Skeleton { get; internal set; }

        /// <summary>The clips in this file.</summary>
        public IReadOnlyList<Clip> Clips { get { return ClipList; } }

        /// <summary>What the file has and this version of the library does not understand.</summary>
        public IReadOnlyList<string> Warnings { get { return WarningList; } }

        internal readonly List<Clip> ClipList = new List<Clip>();
        internal readonly List<string> WarningList = new List<string>();
        internal readonly List<BoneTable> BoneTables = new List<BoneTable>();
        internal readonly List<LazyClip> LazyClips = new List<LazyClip>();
    }

    /// <summary>Which joints the blend indices of one part mean. Parts without a table index all joints.</summary>
    sealed class BoneTable
    {
        /// <summary>As many as SkinnedEffect takes.</summary>
        public const int Most = 72;

        public int Mesh;
        public int Part;
        public int[] Joints;
    }

    /// <summary>A clip in a file of its own.</summary>
    sealed class LazyClip
    {
        public string Name;
        public string Tag;

        /// <summary>Relative to the folder of the model.</summary>
        public string Asset;
    }
}
