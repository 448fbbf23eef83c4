using System;
using System.Collections.Generic;
using System.IO;
using Microsoft.Xna.Framework;
using Microsoft.Xna.Framework.Content;

namespace Sinew
{
    /// <summary>
    /// The layout of XNA's skinning samples: matrices of the joints, and keys as matrices in one flat list. It has no names of joints, no tags,
    /// events or root motion. Its keys become tracks, so that it plays as v2 does.
    /// </summary>
    sealed class SkinningDataV1
    {
        readonly BinaryReader input;
        readonly string what;
        string place = "the joints";

        public SkinningDataV1(BinaryReader input, string what)
        {
            this.input = input;
            this.what = what;
        }

        public SkinningData Read(int joints)
        {
            try
            {
                if (joints < 0) throw Error("it says that there are " + joints + " joints. It is no SkinningData of version 1 or 2");
                var data = new SkinningData { Skeleton = ReadSkeleton(joints) };
                place = "the number of clips";
                for (int clips = ReadCount("clips"); clips > 0; clips--) data.ClipList.Add(ReadClip(joints));
                return data;
            }
            catch (EndOfStreamException)
            {
                throw Error("truncated: the file ends here");
            }
        }

        Exception Error(string message)
        {
            return new ContentLoadException(what + ", " + place + ": " + message);
        }

        int ReadCount(string of)
        {
            int count = input.ReadInt32();
            if (count < 0) throw Error("there cannot be " + count + " " + of);
            return count;
        }

        Skeleton ReadSkeleton(int count)
        {
            // Lists grow with what is there: a wrong count does not reserve memory.
            var rest = new List<Transform>();
            var inverseBinds = new List<Matrix>();
            var parents = new List<int>();
            for (int i = 0; i < count; i++) rest.Add(ReadTransform());
            for (int i = 0; i < count; i++) inverseBinds.Add(ReadMatrix());
            for (int i = 0; i < count; i++)
            {
                int parent = input.ReadInt32();
                if (parent < -1 || parent >= i) throw Error("the parent " + parent + " of joint " + i + " does not come before it");
                parents.Add(parent);
            }
            return new Skeleton(null, parents.ToArray(), rest.ToArray(), inverseBinds.ToArray());
        }

        Clip ReadClip(int joints)
        {
            var clip = new Clip { Name = input.ReadString() };
            place = "clip '" + clip.Name + "'";
            long ticks = input.ReadInt64();
            if (ticks < 0) throw Error("its duration is negative");
            clip.Duration = Seconds(ticks);
            var keys = new Keys[joints];
            int count = ReadCount("keys");
            long before = 0;
            for (int i = 0; i < count; i++)
            {
                int joint = input.ReadInt32();
                long time = input.ReadInt64();
                if (joint < 0 || joint >= joints) throw Error("key " + i + " moves joint " + joint + ", and there are " + joints);
                if (time < before) throw Error("key " + i + " comes before the key before it");
                before = time;
                if (keys[joint] == null) keys[joint] = new Keys();
                keys[joint].Add(Seconds(time), ReadTransform());
            }
            clip.Tracks = ToTracks(keys);
            return clip;
        }

        static JointTracks[] ToTracks(Keys[] keys)
        {
            var tracks = new List<JointTracks>();
            for (int joint = 0; joint < keys.Length; joint++)
                if (keys[joint] != null) tracks.Add(keys[joint].ToTracks(joint));
            return tracks.ToArray();
        }

        static float Seconds(long ticks)
        {
            return (float)(ticks / (double)TimeSpan.TicksPerSecond);
        }

        Transform ReadTransform()
        {
            var matrix = ReadMatrix();
            return Transform.FromMatrix(ref matrix);
        }

        Matrix ReadMatrix()
        {
            return new Matrix(
                ReadSingle(), ReadSingle(), ReadSingle(), ReadSingle(),
                ReadSingle(), ReadSingle(), ReadSingle(), ReadSingle(),
                ReadSingle(), ReadSingle(), ReadSingle(), ReadSingle(),
                ReadSingle(), ReadSingle(), ReadSingle(), ReadSingle());
        }

        float ReadSingle()
        {
            float value = input.ReadSingle();
            if (float.IsNaN(value) || float.IsInfinity(value)) throw Error("a number is not finite");
            return value;
        }

        /// <summary>The keys of one joint while they are read.</summary>
        sealed class Keys
        {
            readonly List<float> times = new List<float>();
            readonly List<Vector3> translations = new List<Vector3>();
            readonly List<Quaternion> rotations = new List<Quaternion>();
            readonly List<Vector3> scales = new List<Vector3>();

            public void Add(float time, Transform transform)
            {
                times.Add(time);
                translations.Add(transform.Translation);
                rotations.Add(transform.Rotation);
                scales.Add(transform.Scale);
            }

            public JointTracks ToTracks(int joint)
            {
                float[] shared = times.ToArray();
                return new JointTracks
                {
                    Joint = joint,
                    Translation = new VectorTrack(shared, translations.ToArray(), false),
                    Rotation = new RotationTrack(shared, rotations.ToArray(), false),
                    Scale = new VectorTrack(shared, scales.ToArray(), false),
                };
            }
        }
    }
}
