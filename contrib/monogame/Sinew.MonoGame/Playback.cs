using System;
using Microsoft.Xna.Framework;

namespace Sinew
{
    /// <summary>
    /// Time within a clip, its direction and its end. The clock runs along an unrolled line: a loop's second pass is the stretch from one duration
    /// to two. It wraps only when it is read, so an update may cross any number of ends and nothing is counted twice or lost.
    /// </summary>
    public struct Playback
    {
        // Clips shorter than this, in seconds, are one pose.
        const double Shortest = 1e-6;

        // Most passes of a loop that one update counts.
        const double MostPasses = 1e6;

        enum Stage { Fresh, Started, Running }

        readonly double duration;
        readonly LoopMode mode;
        readonly int times;
        double speed;
        bool paused;
        double position, previous;
        Stage stage;

        /// <summary>At the start of a clip of so many seconds; at its end if the speed is negative. <paramref name="times"/> counts for
        /// <see cref="LoopMode.Times"/> alone.</summary>
        public Playback(double duration, LoopMode mode, int times, double speed)
        {
            this.duration = duration >= Shortest && IsFinite(duration) ? duration : 0;
            this.mode = mode;
            this.times = Math.Max(times, 0);
            this.speed = IsFinite(speed) ? speed : 1;
            paused = false;
            position = previous = 0;
            stage = Stage.Fresh;
            if (this.speed < 0) position = previous = Ends ? End : this.duration;
        }

        /// <summary>Seconds that the clip lasts.</summary>
        public double Duration { get { return duration; } }

        /// <summary>What happens at the end.</summary>
        public LoopMode Mode { get { return mode; } }

        /// <summary>Seconds from the start of the clip.</summary>
        public double Time { get { return TimeAt(position); } }

        /// <summary>Stays where it is while true.</summary>
        public bool IsPaused { get { return paused; } set { paused = value; } }

        /// <summary>Factor on the game's time; negative plays backward.</summary>
        public double Speed
        {
            get { return speed; }
            set { if (IsFinite(value)) speed = value; }
        }

        /// <summary>Whether it has come to a stop: behind the last pass, or before the first when playing backward. A loop never ends.</summary>
        public bool HasEnded { get { return Ends && (speed < 0 ? position <= 0 : position >= End); } }

        /// <summary>Moves on. Negative steps and such as are no numbers count as none: reverse by speed.</summary>
        public void Advance(double seconds)
        {
            previous = position;
            if (stage == Stage.Started) stage = Stage.Running;
            if (paused || !(seconds >= 0 && IsFinite(seconds))) return;
            double step = Clamp(seconds * speed, -double.MaxValue, double.MaxValue);
            if (Ends) position = Clamp(position + step, 0, End);
            else AdvanceLoop(step);
            if (stage == Stage.Fresh) stage = Stage.Started;
        }

        void AdvanceLoop(double step)
        {
            double period = mode == LoopMode.PingPong ? 2 * duration : duration;
            if (period <= 0) return;
            double most = MostPasses * period;
            if (Math.Abs(position) > most)
            {
                // Large numbers lose precision: go on from the same time of an early pass.
                position = Wrap(position, period);
                previous = position;
            }
            if (Math.Abs(step) > most) step = Math.Sign(step) * most + step % period;
            position += step;
        }

        /// <summary>Goes to a time of the clip without crossing anything: no event fires, no root motion happens.</summary>
        public void Seek(double time)
        {
            position = previous = IsFinite(time) ? Clamp(time, 0, duration) : 0;
            stage = Stage.Running;
        }

        /// <summary>How far the root went during the last advance, over all passes.</summary>
        internal Vector3 Displacement(Travel travel)
        {
            var whole = travel.Whole;
            float passes = (float)(PassesAt(position) - PassesAt(previous));
            return whole * passes + (travel.At(TimeAt(position)) - travel.At(TimeAt(previous)));
        }

        double PassesAt(double at)
        {
            if (duration <= 0) return 0;
            if (mode == LoopMode.Loop) return Math.Floor(at / duration);
            if (mode == LoopMode.Times) return Math.Min(Math.Floor(at / duration), Math.Max(times, 1) - 1.0);
            return 0;
        }

        // Whether the unrolled line has an end, and where.
        bool Ends { get { return mode == LoopMode.Once || mode == LoopMode.Times; } }

        double End { get { return mode == LoopMode.Times ? duration * times : duration; } }

        double TimeAt(double at)
        {
            if (duration <= 0) return 0;
            if (mode == LoopMode.Once) return Clamp(at, 0, duration);
            if (mode == LoopMode.Times && at >= End) return duration;
            if (mode != LoopMode.PingPong) return Wrap(at, duration);
            double thereAndBack = Wrap(at, 2 * duration);
            return thereAndBack <= duration ? thereAndBack : 2 * duration - thereAndBack;
        }

        // Passes of the clip that the last advance touched, numbered along the unrolled line; none if the first is behind the last.
        internal void Legs(out long first, out long last)
        {
            first = 0;
            last = -1;
            if (duration <= 0 || position == previous) return;
            long low = (long)Math.Floor(Math.Min(position, previous) / duration);
            long high = (long)Math.Floor(Math.Max(position, previous) / duration);
            // One more below: an event at the end of a pass lies where the next begins.
            first = mode == LoopMode.Once ? 0 : mode == LoopMode.Times ? Math.Max(low, 1) - 1 : low - 1;
            last = mode == LoopMode.Once ? 0 : mode == LoopMode.Times ? Math.Min(high, times - 1L) : high;
        }

        internal bool IsForward { get { return position >= previous; } }

        internal bool IsBackwardLeg(long leg)
        {
            return mode == LoopMode.PingPong && (leg & 1) == 1;
        }

        // Whether the first advance since the start, which takes in the starting instant, began at this time.
        internal bool StartedAt(double time)
        {
            return stage == Stage.Started && Math.Min(time, duration) == TimeAt(previous);
        }

        internal bool Crosses(long leg, double time)
        {
            time = Math.Min(time, duration);
            bool backward = IsBackwardLeg(leg);
            // The turning points belong to the forward legs, else they would fire twice.
            if (backward && (time == 0 || time == duration)) return false;
            double at = leg * duration + (backward ? duration - time : time);
            return IsForward ? previous < at && at <= position : position <= at && at < previous;
        }

        static double Wrap(double value, double length)
        {
            double rest = value % length;
            if (rest < 0) rest += length;
            // Adding may round up to the length itself.
            return rest < length ? rest : 0;
        }

        static double Clamp(double value, double low, double high)
        {
            return value < low ? low : value > high ? high : value;
        }

        static bool IsFinite(double value)
        {
            return !double.IsNaN(value) && !double.IsInfinity(value);
        }
    }

    /// <summary>Events that an update of a player crossed, for <c>foreach</c>: of all clips that are heard.</summary>
    public struct PlayedEvents
    {
        readonly AnimationPlayer player;

        internal PlayedEvents(AnimationPlayer player)
        {
            this.player = player;
        }

        /// <summary>For <c>foreach</c>.</summary>
        public Enumerator GetEnumerator()
        {
            return new Enumerator(player);
        }

        /// <summary>Goes from one event to the next.</summary>
        public struct Enumerator
        {
            readonly AnimationPlayer player;
            CrossedEvents.Enumerator own;
            int voice;

            internal Enumerator(AnimationPlayer player)
            {
                this.player = player;
                own = player.EventsOf(0).GetEnumerator();
                voice = 0;
            }

            /// <summary>The event.</summary>
            public ClipEvent Current { get { return own.Current; } }

            /// <summary>Goes on; false behind the last one.</summary>
            public bool MoveNext()
            {
                while (true)
                {
                    if (own.MoveNext()) return true;
                    if (++voice >= player.VoiceCount) return false;
                    own = player.EventsOf(voice).GetEnumerator();
                }
            }
        }
    }

    /// <summary>
    /// Events that the last update crossed, in the order in which it did; for <c>foreach</c>, without allocating. Forward covers the time
    /// after the old position up to and with the new one, backward the time before; the first update after a start takes in the start itself.
    /// </summary>
    public struct CrossedEvents
    {
        readonly Playback clock;
        readonly ClipEvent[] events;
        readonly bool fading;

        internal CrossedEvents(Playback clock, ClipEvent[] events, bool fading)
        {
            this.clock = clock;
            this.events = events;
            this.fading = fading;
        }

        /// <summary>For <c>foreach</c>.</summary>
        public Enumerator GetEnumerator()
        {
            return new Enumerator(clock, events, fading);
        }

        /// <summary>Goes from one event to the next.</summary>
        public struct Enumerator
        {
            readonly Playback clock;
            readonly ClipEvent[] events;
            readonly bool fading;
            readonly long first, last;
            // How many of the starting instant, and how many passes and events of a pass, were looked at.
            int starting, within;
            long leg;
            int current;

            internal Enumerator(Playback clock, ClipEvent[] events, bool fading)
            {
                this.clock = clock;
                this.events = events;
                this.fading = fading;
                clock.Legs(out first, out last);
                starting = within = current = 0;
                leg = 0;
            }

            /// <summary>The event.</summary>
            public ClipEvent Current { get { return events[current]; } }

            bool IsFired { get { return !fading || events[current].Fire != Fire.UnlessFading; } }

            /// <summary>Goes on; false behind the last one.</summary>
            public bool MoveNext()
            {
                while (starting < events.Length)
                {
                    current = starting++;
                    if (clock.StartedAt(events[current].Time) && IsFired) return true;
                }
                for (; events.Length > 0 && first + leg <= last; leg++, within = 0)
                {
                    long at = clock.IsForward ? first + leg : last - leg;
                    bool rising = clock.IsForward != clock.IsBackwardLeg(at);
                    while (within < events.Length)
                    {
                        current = rising ? within : events.Length - 1 - within;
                        within++;
                        if (clock.Crosses(at, events[current].Time) && IsFired) return true;
                    }
                }
                return false;
            }
        }
    }
}
