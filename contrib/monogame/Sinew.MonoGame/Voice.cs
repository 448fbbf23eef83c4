using Microsoft.Xna.Framework;

namespace Sinew
{
    /// <summary>One clip being played, with its clock; the rest pose if it has no clip.</summary>
    struct Voice
    {
        public Clip Clip;
        public Playback Playback;
        public Sampling Sampling;
        public RootMotion RootMotion;

        // Seconds that it has been rising over the voices before it, and that it takes to; zero if it was there at once.
        double elapsed, length;

        /// <summary>What it counts in the pose, from 0 to 1.</summary>
        public float Share;
        /// <summary>Whether it is heard no more: it goes with the next update.</summary>
        public bool IsOver;

        public Voice(Clip clip, PlayOptions options)
        {
            Clip = clip;
            var mode = options.Mode ?? clip.Mode;
            int times = options.Mode.HasValue ? options.Times : clip.Times;
            Playback = new Playback(clip.Duration, mode, times, options.Speed ?? 1);
            Sampling = options.Sampling ?? Sampling.Interpolate;
            RootMotion = options.RootMotion ?? clip.RootMotion;
            elapsed = 0;
            length = options.Crossfade > 0 && !double.IsInfinity(options.Crossfade) ? options.Crossfade : 0;
            Share = 0;
            IsOver = false;
        }

        /// <summary>How far it has risen over the voices before it, from 0 to 1.</summary>
        public float Risen { get { return length > 0 ? (float)(elapsed / length) : 1; } }

        /// <summary>Seconds until it has.</summary>
        public double Left { get { return length > 0 ? length - elapsed : 0; } }

        /// <summary>Moves on by so many seconds, for some of which it is heard.</summary>
        public void Advance(double seconds, double heard)
        {
            bool stands = Playback.IsPaused;
            Playback.Advance(heard);
            if (stands || length <= 0) return;
            elapsed += seconds;
            if (elapsed >= length) length = 0;
        }

        public void Sample(Skeleton skeleton, Transform[] pose)
        {
            if (Clip == null)
            {
                skeleton.Rest.CopyTo(pose, 0);
                return;
            }
            double time = Playback.Time;
            Clip.Sample(skeleton, time, Sampling, pose);
            if (RootMotion != RootMotion.Keep) Clip.Travel.Remove(skeleton, time, pose);
        }

        /// <summary>How far the last advance moved the character: zero unless root motion is extracted.</summary>
        public Vector3 RootDelta()
        {
            return Clip != null && RootMotion == RootMotion.Extract ? Playback.Displacement(Clip.Travel) : Vector3.Zero;
        }
    }
}
