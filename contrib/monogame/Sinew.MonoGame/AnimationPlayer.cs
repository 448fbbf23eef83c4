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
        readonly Transform[] pose, from, to;
        readonly Matrix[] model, skin;

        Voice current, outgoing;
        // What a crossfade starts from: a clip that plays on, or (frozen) the pose in `from` of a crossfade that was interrupted.
        bool fading, frozen;
        double elapsed, length;
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
            from = (Transform[])skeleton.Rest.Clone();
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

        /// <summary>The clip that plays, or null.</summary>
        public Clip Clip { get { return current.Clip; } }

        /// <summary>The clock of the clip that plays.</summary>
        public Playback Playback { get { return current.Playback; } }

        /// <summary>Seconds from the start of the clip.</summary>
        public double Time { get { return current.Playback.Time; } }

        /// <summary>Whether the clip has come to its end; a loop never does.</summary>
        public bool HasEnded { get { return current.Clip != null && current.Playback.HasEnded; } }

        /// <summary>The weight of the clip in the pose: 1 except during a crossfade.</summary>
        public float Weight { get { return fading ? (float)(elapsed / length) : 1; } }

        /// <summary>Events of the clip that the last update crossed.</summary>
        public CrossedEvents Events { get { return new CrossedEvents(current.Playback, current.Clip == null ? NoEvents : current.Clip.EventArray); } }

        static readonly ClipEvent[] NoEvents = new ClipEvent[0];

        /// <summary>How far the last update moved the character, in model space: of clips whose root motion is extracted, each by its weight.</summary>
        public Vector3 RootDelta
        {
            get
            {
                var delta = current.RootDelta();
                if (!fading) return delta;
                var before = frozen ? Vector3.Zero : outgoing.RootDelta();
                return Vector3.Lerp(before, delta, Weight);
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
            fading = false;
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
            current.Playback.Advance(seconds);
            if (fading)
            {
                // A step that the clocks ignore is ignored here too.
                if (seconds >= 0 && !double.IsInfinity(seconds)) elapsed += seconds;
                if (!frozen) outgoing.Playback.Advance(seconds);
                if (elapsed >= length) fading = false;
            }
            Refresh();
        }

        void Start(Clip clip, PlayOptions options)
        {
            var before = current;
            current = new Voice(clip, options);
            if (!(options.Crossfade > 0) || double.IsInfinity(options.Crossfade))
            {
                fading = false;
                Refresh();
                return;
            }
            frozen = fading;
            if (frozen) pose.CopyTo(from, 0);
            outgoing = before;
            // The pose stays as it is until the next update: a crossfade begins with what was shown before.
            fading = true;
            elapsed = 0;
            length = options.Crossfade;
        }

        void Refresh()
        {
            if (fading)
            {
                if (!frozen) outgoing.Sample(skeleton, from);
                current.Sample(skeleton, to);
                float weight = Weight;
                for (int i = 0; i < pose.Length; i++) Transform.Blend(ref from[i], ref to[i], weight, out pose[i]);
            }
            else
            {
                current.Sample(skeleton, pose);
            }
            skeleton.LocalToModel(pose, model);
            skeleton.ModelToSkin(model, skin);
        }
    }
}
