using System;
using System.Collections.Generic;
using Microsoft.Xna.Framework.Content;

namespace Sinew
{
    /// <summary>Carries clips from one skeleton to another by the names of joints; where names are missing (SkinningData v1), by index.</summary>
    sealed class ClipMerge
    {
        const int Missing = -1, Ambiguous = -2;

        readonly Skeleton from;
        readonly int[] jointOf;
        readonly List<string> warnings;

        public ClipMerge(Skeleton from, Skeleton to, List<string> warnings)
        {
            this.from = from;
            this.warnings = warnings;
            jointOf = from.Names == null || to.Names == null ? ByIndex(from, to) : ByName(from.Names, to.Names);
        }

        public Clip Apply(Clip clip)
        {
            var tracks = new List<JointTracks>();
            foreach (var own in clip.Tracks)
            {
                int joint = jointOf[own.Joint];
                if (joint >= 0) tracks.Add(own.For(joint));
                else Refuse(clip, from.Names[own.Joint], joint);
            }
            tracks.Sort((a, b) => a.Joint.CompareTo(b.Joint));
            return clip.WithTracks(tracks.ToArray());
        }

        void Refuse(Clip clip, string name, int why)
        {
            if (why == Ambiguous)
                throw new ContentLoadException("clip '" + clip.Name + "' moves '" + name + "', a name that several joints have: rename them in the source");
            warnings.Add("clip '" + clip.Name + "' moves '" + name + "', which the model does not have");
        }

        static int[] ByIndex(Skeleton from, Skeleton to)
        {
            var map = new int[from.Count];
            for (int i = 0; i < map.Length; i++) map[i] = i;
            bool same = from.Count == to.Count;
            for (int i = 0; same && i < map.Length; i++) same = from.Parents[i] == to.Parents[i];
            if (!same)
                throw new ContentLoadException("clips without names of joints (SkinningData v1) fit the very skeleton that they were made with only: build them as version 2");
            return map;
        }

        static int[] ByName(IReadOnlyList<string> from, IReadOnlyList<string> to)
        {
            var theirs = IndexOf(from);
            var ours = IndexOf(to);
            var map = new int[from.Count];
            for (int i = 0; i < map.Length; i++)
            {
                int found;
                if (!ours.TryGetValue(from[i], out found)) found = Missing;
                map[i] = found != Missing && theirs[from[i]] == Ambiguous ? Ambiguous : found;
            }
            return map;
        }

        static Dictionary<string, int> IndexOf(IReadOnlyList<string> names)
        {
            var index = new Dictionary<string, int>(StringComparer.Ordinal);
            for (int i = 0; i < names.Count; i++) index[names[i]] = index.ContainsKey(names[i]) ? Ambiguous : i;
            return index;
        }
    }
}
