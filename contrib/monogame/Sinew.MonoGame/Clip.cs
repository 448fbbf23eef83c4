using System.Collections.Generic;
using Microsoft.Xna.Framework;

namespace Sinew
{
    /// <summary>What happens at the end of a clip.</summary>
    public enum LoopMode
    {
        /// <summary>Stop at the end.</summary>
        Once,

        /// <summary>Start over, for ever.</summary>
        Loop,

        /// <summary>Turn round at either end, for ever.</summary>
        PingPong,

        /// <summary>Play a number of times, then stop at the end.</summary>
        Times,
    }

    /// <summary>What becomes of a clip's travel.</summary>
    public enum RootMotion
    {
        /// <summary>The pose travels, as the clip was made; a loop snaps back.</summary>
        Keep,

        /// <summary>The pose stays on the spot: travel is taken out, sway remains.</summary>
        InPlace,

        /// <summary>As in place, and each update tells how far the character went (<see cref="AnimationPlayer.RootDelta"/>).</summary>
        Extract,
    }

    /// <summary>A named moment of a clip: a footstep, a hit.</summary>
    public struct ClipEvent
    {
        /// <summary>Seconds from the start of the clip.</summary>
        public readonly float Time;

        /// <summary>What the game asks for.</summary>
        public readonly string Name;

        /// <summary>What else the game wants to know, as it was written, or null.</summary>
        public readonly string Payload;

        /// <summary>When it is fired while several clips play.</summary>
        public readonly Fire Fire;

        /// <summary>An event at a time.</summary>
        public ClipEvent(float time, string name) : this(time, name, null, Fire.Unspecified) { }

        /// <summary>An event at a time, with all that it can say.</summary>
        public ClipEvent(float time, string name, string payload, Fire fire)
        {
            Time = time;
            Name = name;
            Payload = payload;
            Fire = fire;
        }
    }

    /// <summary>When an event is fired while several clips play.</summary>
    public enum Fire
    {
        /// <summary>As is usual: whenever its clip passes it.</summary>
        Unspecified,

        /// <summary>Whenever its clip passes it.</summary>
        Always,

        /// <summary>Only by the clip that leads those that are kept in step. An <see cref="AnimationPlayer"/> keeps none in step, so each leads itself.</summary>
        Leader,

        /// <summary>Unless its clip is fading out.</summary>
        UnlessFading,
    }

    /// <summary>A named moment by which clips can be synchronised: the left foot touches the ground.</summary>
    public struct ClipMarker
    {
        /// <summary>Seconds from the start of the clip.</summary>
        public readonly float Time;

        /// <summary>Clips are matched by equal names.</summary>
        public readonly string Name;

        /// <summary>A marker at a time.</summary>
        public ClipMarker(float time, string name)
        {
            Time = time;
            Name = name;
        }
    }

    /// <summary>A named animation: keys for the joints of one skeleton. Never written after it was loaded, and shared by all players.</summary>
    public sealed class Clip
    {
        /// <summary>Its name, as a game asks for it.</summary>
        public string Name { get; internal set; }

        /// <summary>What it is for (<c>Idle</c>, <c>Walk</c>), or null.</summary>
        public string Tag { get; internal set; }

        /// <summary>Seconds that it lasts.</summary>
        public float Duration { get; internal set; }

        /// <summary>What is meant to happen at its end.</summary>
        public LoopMode Mode { get; internal set; } = LoopMode.Loop;

        /// <summary>How often it is meant to play, if <see cref="Mode"/> is <see cref="LoopMode.Times"/>.</summary>
        public int Times { get; internal set; }

        /// <summary>What is meant to become of its travel.</summary>
        public RootMotion RootMotion { get; internal set; }

        /// <summary>Its events, in the order of their times.</summary>
        public IReadOnlyList<ClipEvent> Events { get { return EventArray; } }

        /// <summary>Its markers, in the order of their times.</summary>
        public IReadOnlyList<ClipMarker> Markers { get { return MarkerArray; } }

        internal ClipMarker[] MarkerArray = new ClipMarker[0];
        internal ClipEvent[] EventArray = new ClipEvent[0];
        internal JointTracks[] Tracks = new JointTracks[0];
        internal Travel Travel = Travel.None;

        /// <summary>First stage: the local pose at a time. Joints without keys are set to rest, so nothing remains of the clip before.</summary>
        public void Sample(Skeleton skeleton, double time, Sampling sampling, Transform[] pose)
        {
            skeleton.Rest.CopyTo(pose, 0);
            foreach (var tracks in Tracks)
            {
                int joint = tracks.Joint;
                if (tracks.Translation != null) tracks.Translation.Sample(time, sampling, out pose[joint].Translation);
                if (tracks.Rotation != null) tracks.Rotation.Sample(time, sampling, out pose[joint].Rotation);
                if (tracks.Scale != null) tracks.Scale.Sample(time, sampling, out pose[joint].Scale);
            }
        }

        /// <summary>How far the character goes in one pass.</summary>
        public Vector3 WholeTravel { get { return Travel.Whole; } }

        internal Clip WithTracks(JointTracks[] tracks)
        {
            var clip = (Clip)MemberwiseClone();
            clip.Tracks = tracks;
            return clip;
        }
    }

    /// <summary>How far a clip has gone at each time, from its start, in model space.</summary>
    sealed class Travel
    {
        public static readonly Travel None = new Travel(new float[1], new Vector3[1]);

        readonly float[] times;
        readonly Vector3[] ways;

        public Travel(float[] times, Vector3[] ways)
        {
            this.times = times;
            this.ways = ways;
        }

        /// <summary>The displacement of one pass.</summary>
        public Vector3 Whole { get { return ways[ways.Length - 1] - ways[0]; } }

        public Vector3 At(double time)
        {
            var span = KeySpan.Find(times, time, false);
            if (span.Way == 0) return ways[span.Key];
            Vector3 way;
            Transform.Mix(ref ways[span.Key], ref ways[span.Key + 1], span.Way, out way);
            return way;
        }

        /// <summary>Takes the travel out of a pose. The whole model moves back: every root joint by the same displacement.</summary>
        public void Remove(Skeleton skeleton, double time, Transform[] pose)
        {
            if (this == None) return;
            var way = At(time);
            foreach (int root in skeleton.Roots) pose[root].Translation -= way;
        }
    }
}
