// What the sample game is compiled against; nothing of it runs.
using System;
using Microsoft.Xna.Framework.Content;
using Microsoft.Xna.Framework.Graphics;

namespace Microsoft.Xna.Framework
{
    public struct Color
    {
        public static Color CornflowerBlue { get { return new Color(); } }
    }

    public class Game : IDisposable
    {
        public GraphicsDevice GraphicsDevice { get { return null; } }
        public ContentManager Content { get { return null; } }
        public void Run() { }
        public void Exit() { }
        public void Dispose() { }
        protected virtual void LoadContent() { }
        protected virtual void Update(GameTime gameTime) { }
        protected virtual void Draw(GameTime gameTime) { }
    }

    public sealed class GraphicsDeviceManager
    {
        public GraphicsDeviceManager(Game game) { }
        public int PreferredBackBufferWidth { get; set; }
        public int PreferredBackBufferHeight { get; set; }
        public GraphicsProfile GraphicsProfile { get; set; }
    }
}

namespace Microsoft.Xna.Framework.Input
{
    public enum Keys { Escape, Left, Right, Up, Down, LeftShift, RightShift, Space }

    public struct KeyboardState
    {
        public bool IsKeyDown(Keys key)
        {
            return false;
        }
    }

    public static class Keyboard
    {
        public static KeyboardState GetState()
        {
            return new KeyboardState();
        }
    }
}
