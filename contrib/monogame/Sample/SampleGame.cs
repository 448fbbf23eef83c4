using System;
using Microsoft.Xna.Framework;
using Microsoft.Xna.Framework.Graphics;
using Microsoft.Xna.Framework.Input;
using Sinew;

namespace Sample
{
    /// <summary>A player and ten enemies that share one model. Arrow keys walk, shift runs, space jumps; enemies follow who comes near.</summary>
    public sealed class SampleGame : Game
    {
        const int Enemies = 10;
        const float Sight = 5, Arm = 1.2f;

        AnimatedModel character;
        Actor hero;
        readonly Actor[] enemies = new Actor[Enemies];

        /// <summary>A window of 1280 by 720.</summary>
        public SampleGame()
        {
            new GraphicsDeviceManager(this) { PreferredBackBufferWidth = 1280, PreferredBackBufferHeight = 720, GraphicsProfile = GraphicsProfile.HiDef };
            Content.RootDirectory = "Content";
        }

        /// <summary>Loads one model for all.</summary>
        protected override void LoadContent()
        {
            character = AnimatedModel.Load(Content, "hero");
            character.EnableDefaultLighting();
            hero = new Actor(character, Vector3.Zero, 0);
            for (int i = 0; i < Enemies; i++)
            {
                double angle = i * 2 * Math.PI / Enemies;
                var place = new Vector3((float)Math.Sin(angle), 0, (float)Math.Cos(angle)) * (3 + i % 3 * 1.5f);
                enemies[i] = new Actor(character, place, (float)angle);
                enemies[i].Player.Update(i * 0.17);
            }
        }

        /// <summary>Keys move the hero; enemies look for it.</summary>
        protected override void Update(GameTime gameTime)
        {
            float seconds = (float)gameTime.ElapsedGameTime.TotalSeconds;
            var keys = Keyboard.GetState();
            if (keys.IsKeyDown(Keys.Escape)) Exit();

            var direction = Direction(keys);
            bool moves = direction.LengthSquared() > 0;
            bool runs = keys.IsKeyDown(Keys.LeftShift) || keys.IsKeyDown(Keys.RightShift);
            hero.Enter(keys.IsKeyDown(Keys.Space) ? State.Jump : !moves ? State.Idle : runs ? State.Run : State.Walk);
            hero.Update(seconds, direction);

            foreach (var enemy in enemies)
            {
                var way = hero.Position - enemy.Position;
                float distance = way.Length();
                enemy.Enter(distance > Sight || distance < Arm ? State.Idle : distance > Sight / 2 ? State.Run : State.Walk);
                enemy.Update(seconds, way);
            }
            base.Update(gameTime);
        }

        static Vector3 Direction(KeyboardState keys)
        {
            float x = (keys.IsKeyDown(Keys.Right) ? 1 : 0) - (keys.IsKeyDown(Keys.Left) ? 1 : 0);
            float z = (keys.IsKeyDown(Keys.Down) ? 1 : 0) - (keys.IsKeyDown(Keys.Up) ? 1 : 0);
            return new Vector3(x, 0, z);
        }

        /// <summary>Draws the shared model once for each actor.</summary>
        protected override void Draw(GameTime gameTime)
        {
            GraphicsDevice.Clear(Color.CornflowerBlue);
            GraphicsDevice.DepthStencilState = DepthStencilState.Default;
            var eye = hero.Position + new Vector3(0, 4, 8);
            var view = Matrix.CreateLookAt(eye, hero.Position + new Vector3(0, 0.8f, 0), Vector3.Up);
            var projection = Matrix.CreatePerspectiveFieldOfView(MathHelper.PiOver4, GraphicsDevice.Viewport.AspectRatio, 0.1f, 100);
            character.Draw(hero.Player, hero.World, view, projection);
            foreach (var enemy in enemies) character.Draw(enemy.Player, enemy.World, view, projection);
            base.Draw(gameTime);
        }
    }
}
