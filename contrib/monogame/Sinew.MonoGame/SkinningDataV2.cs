using System.Collections.Generic;
using Microsoft.Xna.Framework;

namespace Sinew
{
    /// <summary>Our own layout: chunks of which unknown ones are skipped, so that older games read newer files.</summary>
    static class SkinningDataV2
    {
        /// <summary>The bytes <c>SNW2</c>.</summary>
        public const int Magic = 0x32574E53;

        public static SkinningData Read(ByteCursor file)
        {
            var data = new SkinningData();
            while (!file.AtEnd)
            {
                string id;
                var chunk = file.Chunk(out id);
                if (data.Skeleton == null && id != "BONE") throw chunk.Error("BONE must come first");
                switch (id)
                {
                    case "BONE": data.Skeleton = ReadJoints(chunk); break;
                    case "BIND": data.Skeleton = ReadInverseBinds(chunk, data.Skeleton); break;
                    case "PART": ReadBoneTables(chunk, data); break;
                    case "CLIP": data.ClipList.Add(ClipReader.Read(chunk, data)); break;
                    case "LAZY": ReadLazyClips(chunk, data); break;
                    case "SOCK": data.Skeleton.SocketArray = ReadSockets(chunk, data.Skeleton); break;
                }
            }
            if (data.Skeleton == null) throw file.Error("it has no joints (chunk BONE)");
            return data;
        }

        static Skeleton ReadJoints(ByteCursor chunk)
        {
            int count = chunk.Count(45, "joints");
            var names = new string[count];
            var parents = new int[count];
            var rest = new Transform[count];
            for (int i = 0; i < count; i++)
            {
                names[i] = chunk.String();
                parents[i] = chunk.Int32();
                if (parents[i] < -1 || parents[i] >= i) throw chunk.Error("the parent of joint '" + names[i] + "' does not come before it");
                rest[i] = chunk.Transform();
            }
            return new Skeleton(names, parents, rest, null);
        }

        static Skeleton ReadInverseBinds(ByteCursor chunk, Skeleton skeleton)
        {
            var inverseBinds = new Matrix[skeleton.Count];
            for (int i = 0; i < inverseBinds.Length; i++) inverseBinds[i] = chunk.Matrix();
            return new Skeleton((string[])skeleton.Names, skeleton.ParentArray, skeleton.Rest, inverseBinds);
        }

        static void ReadBoneTables(ByteCursor chunk, SkinningData data)
        {
            for (int count = chunk.Count(5, "bone tables"); count > 0; count--)
            {
                var table = new BoneTable { Mesh = chunk.Number(), Part = chunk.Number() };
                int joints = chunk.Count(2, "joints of a part");
                if (joints < 1 || joints > BoneTable.Most) throw chunk.Error("a part has " + joints + " joints; SkinnedEffect takes 1 to " + BoneTable.Most);
                table.Joints = new int[joints];
                for (int i = 0; i < joints; i++) table.Joints[i] = chunk.Below(chunk.UInt16(), data.Skeleton.Count, "joint");
                data.BoneTables.Add(table);
            }
        }

        static Socket[] ReadSockets(ByteCursor chunk, Skeleton skeleton)
        {
            var sockets = new Socket[chunk.Count(42, "sockets")];
            for (int i = 0; i < sockets.Length; i++)
                sockets[i] = new Socket(chunk.String(), chunk.Index(skeleton.Count, "joint"), chunk.Transform());
            return sockets;
        }

        static void ReadLazyClips(ByteCursor chunk, SkinningData data)
        {
            for (int count = chunk.Count(7, "clips"); count > 0; count--)
            {
                var clip = new LazyClip { Name = chunk.String(), Tag = chunk.OptionalString() };
                chunk.Single();
                clip.Asset = chunk.String();
                data.LazyClips.Add(clip);
            }
        }
    }

    /// <summary>Reads one clip.</summary>
    sealed class ClipReader
    {
        readonly Clip clip = new Clip();
        readonly SkinningData data;

        ClipReader(SkinningData data)
        {
            this.data = data;
        }

        public static Clip Read(ByteCursor chunks, SkinningData data)
        {
            var reader = new ClipReader(data);
            bool hasKeys = false;
            while (!chunks.AtEnd)
            {
                string id;
                var chunk = chunks.Chunk(out id);
                if (reader.clip.Name == null && id != "HEAD") throw chunk.Error("HEAD must come first");
                switch (id)
                {
                    case "HEAD": reader.ReadHead(chunk); break;
                    case "KEYS": reader.ReadKeys(chunk); hasKeys = true; break;
                    case "TRAV": reader.ReadTravel(chunk); break;
                    case "EVNT": reader.ReadEvents(chunk); break;
                    case "FIRE": reader.ReadFires(chunk); break;
                    case "MARK": reader.ReadMarkers(chunk); break;
                }
            }
            if (!hasKeys) throw chunks.Error("a clip needs the chunks HEAD and KEYS");
            return reader.clip;
        }

        void ReadHead(ByteCursor chunk)
        {
            clip.Name = chunk.String();
            clip.Tag = chunk.OptionalString();
            clip.Duration = chunk.Single();
            if (clip.Duration < 0) throw chunk.Error("the duration of clip '" + clip.Name + "' is negative");
            int mode = chunk.Below(chunk.Byte(), 4, "loop mode");
            clip.Mode = mode == 0 ? LoopMode.Once : mode == 1 ? LoopMode.Loop : mode == 2 ? LoopMode.PingPong : LoopMode.Times;
            clip.Times = chunk.Number();
            clip.RootMotion = (RootMotion)chunk.Below(chunk.Byte(), 3, "root motion");
        }

        void ReadKeys(ByteCursor chunk)
        {
            int encoding = chunk.Byte();
            if (encoding != 0) throw chunk.Error("clip '" + clip.Name + "' has the encoding " + encoding + ", which needs a newer Sinew.MonoGame");
            var tables = new float[chunk.Count(5, "tables of times")][];
            for (int i = 0; i < tables.Length; i++) tables[i] = ReadTimes(chunk);
            var tracks = new JointTracks[chunk.Count(2, "joints with keys")];
            for (int i = 0; i < tracks.Length; i++)
            {
                tracks[i] = ReadTracks(chunk, tables);
                if (i > 0 && tracks[i].Joint <= tracks[i - 1].Joint) throw chunk.Error("the joints with keys are not in rising order");
            }
            clip.Tracks = tracks;
        }

        static float[] ReadTimes(ByteCursor chunk)
        {
            var times = new float[chunk.Count(4, "times")];
            if (times.Length == 0) throw chunk.Error("a table of times is empty");
            for (int i = 0; i < times.Length; i++)
            {
                times[i] = chunk.Single();
                if (i > 0 && times[i] < times[i - 1] || i > 1 && times[i] == times[i - 2]) throw chunk.Error("times of keys are not in order");
            }
            return times;
        }

        JointTracks ReadTracks(ByteCursor chunk, float[][] tables)
        {
            var tracks = new JointTracks { Joint = chunk.Index(data.Skeleton.Count, "joint") };
            int components = chunk.Byte();
            int translation = components & 3, rotation = components >> 2 & 3, scale = components >> 4 & 3;
            if (components >= 64 || translation == 3 || rotation == 3 || scale == 3) throw chunk.Error("joint " + tracks.Joint + " has an unknown kind of track");
            if (translation != 0) tracks.Translation = ReadVectors(chunk, tables, translation == 2);
            if (rotation != 0) tracks.Rotation = ReadRotations(chunk, tables, rotation == 2);
            if (scale != 0) tracks.Scale = ReadVectors(chunk, tables, scale == 2);
            return tracks;
        }

        static VectorTrack ReadVectors(ByteCursor chunk, float[][] tables, bool step)
        {
            float[] times = tables[chunk.Index(tables.Length, "table of times")];
            return new VectorTrack(times, ReadVectors(chunk, times.Length), step);
        }

        static RotationTrack ReadRotations(ByteCursor chunk, float[][] tables, bool step)
        {
            float[] times = tables[chunk.Index(tables.Length, "table of times")];
            chunk.Room(times.Length, 16, "rotations");
            var values = new Quaternion[times.Length];
            for (int i = 0; i < values.Length; i++) values[i] = chunk.Rotation();
            return new RotationTrack(times, values, step);
        }

        static Vector3[] ReadVectors(ByteCursor chunk, int count)
        {
            chunk.Room(count, 12, "vectors");
            var values = new Vector3[count];
            for (int i = 0; i < values.Length; i++) values[i] = chunk.Vector3();
            return values;
        }

        void ReadTravel(ByteCursor chunk)
        {
            int kind = chunk.Byte();
            if (kind != 0)
            {
                data.WarningList.Add("clip '" + clip.Name + "': its travel is of kind " + kind + ", which needs a newer Sinew.MonoGame; it plays with its travel kept");
                return;
            }
            float[] times = ReadTimes(chunk);
            clip.Travel = new Travel(times, ReadVectors(chunk, times.Length));
        }

        void ReadEvents(ByteCursor chunk)
        {
            var events = new List<ClipEvent>();
            for (int count = chunk.Count(5, "events"); count > 0; count--)
            {
                string name;
                float time = ReadMoment(chunk, "event", events.Count > 0 ? events[events.Count - 1].Time : 0, out name);
                events.Add(new ClipEvent(time, name));
            }
            clip.EventArray = events.ToArray();
        }

        // What events say beside time and name; they come before.
        void ReadFires(ByteCursor chunk)
        {
            int count = chunk.Count(2, "fire modes");
            if (count != clip.EventArray.Length) throw chunk.Error("clip '" + clip.Name + "' has fire modes for another number of events");
            for (int i = 0; i < count; i++)
            {
                var fire = (Fire)chunk.Below(chunk.Byte(), 4, "fire mode");
                clip.EventArray[i] = new ClipEvent(clip.EventArray[i].Time, clip.EventArray[i].Name, chunk.OptionalString(), fire);
            }
        }

        void ReadMarkers(ByteCursor chunk)
        {
            var markers = new ClipMarker[chunk.Count(5, "markers")];
            for (int i = 0; i < markers.Length; i++)
            {
                string name;
                float time = ReadMoment(chunk, "marker", i > 0 ? markers[i - 1].Time : 0, out name);
                markers[i] = new ClipMarker(time, name);
            }
            clip.MarkerArray = markers;
        }

        float ReadMoment(ByteCursor chunk, string what, float before, out string name)
        {
            float time = chunk.Single();
            name = chunk.String();
            if (time < 0 || time > clip.Duration) throw chunk.Error(what + " '" + name + "' lies outside clip '" + clip.Name + "'");
            if (time < before) throw chunk.Error("the " + what + "s of clip '" + clip.Name + "' are not in order");
            return time;
        }
    }
}
