using System;
using Microsoft.Xna.Framework;
using Sinew;

namespace Sample
{
    /// <summary>What an actor does; each state has its clip.</summary>
    enum State { Idle, Walk, Run, Jump }

    /// <summary>Somebody on the field: a place, a state, and a player for the shared character.</summary>
    sealed class Actor
    {
        const double Crossfade = 0.2;
        const float TurnSpeed = 6;

        readonly AnimationPlayer player;
        Vector3 position;
        float heading;
        State state;

        public Actor(AnimatedModel character, Vector3 position, float heading)
        {
            this.position = position;
            this.heading = heading;
            player = character.CreatePlayer();
            player.Play("Idle");
        }

        public Vector3 Position { get { return position; } }

        public AnimationPlayer Player { get { return player; } }

        public Matrix World { get { return Matrix.CreateRotationY(heading) * Matrix.CreateTranslation(position); } }

        /// <summary>Changes the state, with its clip. A jump is finished before anything else begins.</summary>
        public void Enter(State next)
        {
            bool busy = state == State.Jump && player.Clip != null && !player.HasEnded;
            if (next == state || busy) return;
            var options = next == State.Jump ? PlayOptions.Once(Crossfade) : PlayOptions.Fading(Crossfade);
            if (player.Play(NameOf(next), options)) state = next;
        }

        // Not ToString: it allocates.
        static string NameOf(State state)
        {
            switch (state)
            {
                case State.Walk: return "Walk";
                case State.Run: return "Run";
                case State.Jump: return "Jump";
                default: return "Idle";
            }
        }

        /// <summary>Turns towards a direction, moves, and plays on.</summary>
        public void Update(float seconds, Vector3 direction)
        {
            if (direction.LengthSquared() > 0 && state != State.Idle)
            {
                float wanted = (float)Math.Atan2(direction.X, direction.Z);
                float turn = MathHelper.WrapAngle(wanted - heading);
                heading += MathHelper.Clamp(turn, -TurnSpeed * seconds, TurnSpeed * seconds);
            }
            player.Update(seconds);
            // A clip with extracted root motion says how far it went; others move at a speed of the state.
            var step = player.RootDelta;
            if (player.RootMotion != RootMotion.Extract) step = new Vector3(0, 0, Speed * seconds);
            position += Vector3.Transform(step, Matrix.CreateRotationY(heading));
        }

        float Speed { get { return state == State.Walk ? 1.4f : state == State.Run ? 3.5f : 0; } }
    }
}
