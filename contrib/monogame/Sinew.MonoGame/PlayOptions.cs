namespace Sinew
{
    /// <summary>How a clip is played: as it is meant to be, except for what is given here. <c>new PlayOptions()</c> changes nothing.</summary>
    public struct PlayOptions
    {
        /// <summary>Seconds of the crossfade from the pose shown before.</summary>
        public double Crossfade;

        /// <summary>Start again if the clip plays already. Otherwise it goes on as it is, whatever the other options say.</summary>
        public bool Reset;

        /// <summary>What happens at the end.</summary>
        public LoopMode? Mode;

        /// <summary>How often, if <see cref="Mode"/> is <see cref="LoopMode.Times"/>.</summary>
        public int Times;

        /// <summary>Factor on the game's time; negative plays backward, from the end.</summary>
        public double? Speed;

        /// <summary>What becomes of the clip's travel. A clip that was built to keep it has none to take out.</summary>
        public RootMotion? RootMotion;

        /// <summary>How the clip is read between its keys.</summary>
        public Sampling? Sampling;

        /// <summary>As the clip is meant to be, after a crossfade of so many seconds.</summary>
        public static PlayOptions Fading(double crossfade)
        {
            return new PlayOptions { Crossfade = crossfade };
        }

        /// <summary>In a loop, after a crossfade of so many seconds.</summary>
        public static PlayOptions Looping(double crossfade)
        {
            return new PlayOptions { Crossfade = crossfade, Mode = LoopMode.Loop };
        }

        /// <summary>Once and from the start, even if it plays, after a crossfade of so many seconds.</summary>
        public static PlayOptions Once(double crossfade)
        {
            return new PlayOptions { Crossfade = crossfade, Mode = LoopMode.Once, Reset = true };
        }
    }
}
