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

        public Voice(Clip clip, PlayOptions options)
        {
            Clip = clip;
            var mode = options.Mode ?? clip.Mode;
            int times = options.Mode.HasValue ? options.Times : clip.Times;
            Playback = new Playback(clip.Duration, mode, times, options.Speed ?? 1);
            Sampling = options.Sampling ?? Sampling.Interpolate;
            RootMotion = options.RootMotion ?? clip.RootMotion;
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
