using Microsoft.Xna.Framework;

namespace Sinew
{
    /// <summary>How a clip is read between its keys.</summary>
    public enum Sampling
    {
        /// <summary>Between keys, as the tracks say.</summary>
        Interpolate,

        /// <summary>At the key before, as XNA's samples played clips.</summary>
        Step,
    }

    /// <summary>Where a time lies among the keys of a track.</summary>
    struct KeySpan
    {
        /// <summary>The key before, and how far on the way to the next one: zero where the key holds.</summary>
        public int Key;
        public float Way;

        /// <summary>Of two keys at one time, a jump, the second counts.</summary>
        public static KeySpan Find(float[] times, double time, bool step)
        {
            int low = 0, high = times.Length;
            while (low < high)
            {
                int middle = (low + high) >> 1;
                if (times[middle] <= time) low = middle + 1; else high = middle;
            }
            if (low == 0) return new KeySpan();
            var span = new KeySpan { Key = low - 1 };
            if (low < times.Length && !step)
            {
                double from = times[low - 1], to = times[low];
                span.Way = (float)((time - from) / (to - from));
            }
            return span;
        }
    }

    /// <summary>Keys of a translation or a scale.</summary>
    sealed class VectorTrack
    {
        public readonly float[] Times;
        readonly Vector3[] values;
        readonly bool step;

        public VectorTrack(float[] times, Vector3[] values, bool step)
        {
            Times = times;
            this.values = values;
            this.step = step;
        }

        public void Sample(double time, Sampling sampling, out Vector3 result)
        {
            var span = KeySpan.Find(Times, time, step || sampling == Sampling.Step);
            if (span.Way == 0) result = values[span.Key];
            else Transform.Mix(ref values[span.Key], ref values[span.Key + 1], span.Way, out result);
        }
    }

    /// <summary>Keys of a rotation.</summary>
    sealed class RotationTrack
    {
        public readonly float[] Times;
        readonly Quaternion[] values;
        readonly bool step;

        public RotationTrack(float[] times, Quaternion[] values, bool step)
        {
            Times = times;
            this.values = values;
            this.step = step;
        }

        public void Sample(double time, Sampling sampling, out Quaternion result)
        {
            var span = KeySpan.Find(Times, time, step || sampling == Sampling.Step);
            if (span.Way == 0) result = values[span.Key];
            else Transform.Slerp(ref values[span.Key], ref values[span.Key + 1], span.Way, out result);
        }
    }

    /// <summary>What moves one joint. A part without a track (null) stays at the rest of the skeleton that the clip plays on.</summary>
    sealed class JointTracks
    {
        public int Joint;
        public VectorTrack Translation;
        public RotationTrack Rotation;
        public VectorTrack Scale;

        public JointTracks For(int joint)
        {
            return new JointTracks { Joint = joint, Translation = Translation, Rotation = Rotation, Scale = Scale };
        }
    }
}
