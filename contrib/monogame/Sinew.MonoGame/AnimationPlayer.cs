using System;
using Microsoft.Xna.Framework;

namespace Sinew
{
    /// <summary>
    /// Plays the clips of one instance of a character, with linear crossfades. Its matrices are valid from the start: before a clip plays they show
    /// the rest pose. Once made it allocates nothing, except what loads a clip that lies in a file of its own.
    /// </summary>
    public sealed class AnimationPlayer
    {
        readonly Skeleton skeleton;
        readonly ClipLibrary clips;
        readonly Transform[] pose, sum, to;
        readonly Matrix[] model, skin;

        Voice current;
        // The clips that it takes the place of, oldest first: they play on until it has risen, also if a crossfade is interrupted.
        readonly Voice[] before = new Voice[15];
        int count;
        // Why the last Play returned false: an entry that failed, or a name that nothing has.
        ClipEntry refused;
        string unknown;

        /// <summary>A player that shows the rest pose. Players of one character share its skeleton and clips.</summary>
        public AnimationPlayer(Skeleton skeleton, ClipLibrary clips)
        {
            if (skeleton.InverseBinds == null) throw new ArgumentException("this skeleton comes from a file of clips and has no inverse binds: take the model's");
            this.skeleton = skeleton;
            this.clips = clips;
            pose = (Transform[])skeleton.Rest.Clone();
            sum = (Transform[])skeleton.Rest.Clone();
            to = (Transform[])skeleton.Rest.Clone();
            model = new Matrix[skeleton.Count];
            skin = new Matrix[skeleton.Count];
            Refresh();
        }

        /// <summary>The joints.</summary>
        public Skeleton Skeleton { get { return skeleton; } }

        /// <summary>Local transforms of the joints.</summary>
        public Transform[] Pose { get { return pose; } }

        /// <summary>Where the joints are, relative to the character: for things that a hand holds.</summary>
        public Matrix[] ModelMatrices { get { return model; } }

        /// <summary>What SkinnedEffect takes (<see cref="AnimatedModel.Draw"/> hands them over).</summary>
        public Matrix[] SkinMatrices { get { return skin; } }

        /// <summary>Where a socket is, relative to the character; false if there is none of that name.</summary>
        public bool TrySocket(string name, out Matrix place)
        {
            foreach (var socket in skeleton.SocketArray)
            {
                if (socket.Name != name) continue;
                Matrix offset;
                socket.Offset.ToMatrix(out offset);
                Matrix.Multiply(ref offset, ref model[socket.Joint], out place);
                return true;
            }
            place = Matrix.Identity;
            return false;
        }

        /// <summary>The clip that plays, or null.</summary>
        public Clip Clip { get { return current.Clip; } }

        /// <summary>The clock of the clip that plays.</summary>
        public Playback Playback { get { return current.Playback; } }

        /// <summary>Seconds from the start of the clip.</summary>
        public double Time { get { return current.Playback.Time; } }

        /// <summary>Whether the clip has come to its end; a loop never does.</summary>
        public bool HasEnded { get { return current.Clip != null && current.Playback.HasEnded; } }

        /// <summary>The weight of the clip in the pose: 1 except during a crossfade.</summary>
        public float Weight { get { return current.Clip == null ? 1 : current.Share; } }

        /// <summary>Events that the last update crossed, of all clips that are heard, the oldest first.</summary>
        public PlayedEvents Events { get { return new PlayedEvents(this); } }

        /// <summary>How many voices there are, and each of them, the oldest first.</summary>
        internal int VoiceCount { get { return count + 1; } }

        internal CrossedEvents EventsOf(int voice)
        {
            var own = voice < count ? before[voice] : current;
            return new CrossedEvents(own.Playback, own.Clip == null ? NoEvents : own.Clip.EventArray, voice < count);
        }

        static readonly ClipEvent[] NoEvents = new ClipEvent[0];

        /// <summary>How far the last update moved the character, in model space: of clips whose root motion is extracted, each by its weight.</summary>
        public Vector3 RootDelta
        {
            get
            {
                var delta = current.RootDelta() * current.Share;
                for (int i = 0; i < count; i++) delta += before[i].RootDelta() * before[i].Share;
                return delta;
            }
        }

        /// <summary>Factor on the game's time of the clip that plays; negative plays backward.</summary>
        public double Speed
        {
            get { return current.Playback.Speed; }
            set { current.Playback.Speed = value; }
        }

        /// <summary>Holds the clip that plays.</summary>
        public bool IsPaused
        {
            get { return current.Playback.IsPaused; }
            set { current.Playback.IsPaused = value; }
        }

        /// <summary>What becomes of the travel of the clip that plays, from the next update on.</summary>
        public RootMotion RootMotion
        {
            get { return current.RootMotion; }
            set { current.RootMotion = value; }
        }

        /// <summary>Why the last <c>Play</c> returned false, or null.</summary>
        public string LastError
        {
            get
            {
                if (unknown != null) return "no clip has the name or tag '" + unknown + "'";
                return refused == null ? null : "clip '" + refused.Name + "': " + refused.Error;
            }
        }

        /// <summary>Plays a clip by name or tag, as it is meant to be. If it plays already it goes on.</summary>
        public bool Play(string nameOrTag)
        {
            return Play(nameOrTag, new PlayOptions());
        }

        /// <summary>
        /// Plays a clip by name or tag. If it plays already it goes on, unless <see cref="PlayOptions.Reset"/> is set. An unknown name, or a clip that
        /// cannot be loaded, returns false and leaves everything as it was; <see cref="LastError"/> has the reason.
        /// </summary>
        public bool Play(string nameOrTag, PlayOptions options)
        {
            var entry = clips.Find(nameOrTag);
            var clip = entry == null ? null : entry.Load();
            unknown = entry == null ? nameOrTag : null;
            refused = clip == null ? entry : null;
            if (clip == null) return false;
            if (clip != current.Clip || options.Reset) Start(clip, options);
            return true;
        }

        /// <summary>Plays a clip of this character from its start.</summary>
        public void Play(Clip clip, PlayOptions options)
        {
            Start(clip, options);
        }

        /// <summary>Shows the rest pose again, at once.</summary>
        public void Stop()
        {
            current = new Voice();
            count = 0;
            Refresh();
        }

        /// <summary>Goes to a time of the clip; fires no events and moves no root.</summary>
        public void Seek(double time)
        {
            current.Playback.Seek(time);
            Refresh();
        }

        /// <summary>Moves on by the time of a frame.</summary>
        public void Update(GameTime time)
        {
            Update(time.ElapsedGameTime.TotalSeconds);
        }

        /// <summary>Moves on by so many seconds and brings pose and matrices up to date.</summary>
        public void Update(double seconds)
        {
            // A step that the clocks ignore is ignored by the crossfades too.
            double step = seconds >= 0 && !double.IsInfinity(seconds) ? seconds : 0;
            for (int i = count - 1; i >= 0; i--) if (before[i].IsOver) RemoveAt(i);
            // A clip is heard until one above it has risen.
            double left = current.Playback.IsPaused ? double.PositiveInfinity : current.Left;
            current.Advance(step, step);
            for (int i = count - 1; i >= 0; i--)
            {
                double own = before[i].Left;
                before[i].Advance(step, Math.Min(step, left));
                left = Math.Min(left, own);
            }
            ShareOut();
            Refresh();
        }

        void Start(Clip clip, PlayOptions options)
        {
            var next = new Voice(clip, options);
            if (next.Left > 0)
            {
                if (current.Clip != null) Keep(current);
                current = next;
                // The pose stays as it is until the next update: a crossfade begins with what was shown before.
                ShareOut();
                return;
            }
            current = next;
            count = 0;
            ShareOut();
            Refresh();
        }

        void Keep(Voice voice)
        {
            if (count == before.Length)
            {
                int quietest = 0;
                for (int i = 1; i < count; i++) if (before[i].Share < before[quietest].Share) quietest = i;
                RemoveAt(quietest);
            }
            before[count++] = voice;
        }

        void RemoveAt(int place)
        {
            Array.Copy(before, place + 1, before, place, count - place - 1);
            count--;
        }

        // What each counts: how far it has risen, times what those above it leave.
        void ShareOut()
        {
            current.Share = current.Risen;
            float left = 1 - current.Share;
            for (int i = count - 1; i >= 0; i--)
            {
                before[i].Share = before[i].Risen * left;
                before[i].IsOver = left == 0;
                left *= 1 - before[i].Risen;
            }
        }

        void Refresh()
        {
            if (current.Clip == null || current.Share >= 1)
            {
                current.Sample(skeleton, pose);
            }
            else
            {
                float rest = 1 - current.Share;
                for (int i = 0; i < count; i++) rest -= before[i].Share;
                for (int i = 0; i < sum.Length; i++) Transform.Begin(ref skeleton.Rest[i], Math.Max(rest, 0), out sum[i]);
                for (int i = 0; i < count; i++) Add(ref before[i]);
                Add(ref current);
                for (int i = 0; i < sum.Length; i++) Transform.End(ref sum[i], out pose[i]);
            }
            skeleton.LocalToModel(pose, model);
            skeleton.ModelToSkin(model, skin);
        }

        void Add(ref Voice voice)
        {
            if (voice.Share <= 0) return;
            voice.Sample(skeleton, to);
            for (int i = 0; i < sum.Length; i++) Transform.Add(ref to[i], voice.Share, ref sum[i]);
        }
    }
}
