// Does what the test says, line by line, and answers each line with a text and numbers. An exception is an answer too.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Text;
using Microsoft.Xna.Framework;
using Microsoft.Xna.Framework.Content;
using Microsoft.Xna.Framework.Graphics;
using Sinew;

sealed class Driver
{
    readonly ContentManager content;
    readonly List<float> numbers = new List<float>();
    AnimatedModel character;
    AnimationPlayer player;
    CpuSkinnedModel cpu;

    static void Main(string[] arguments)
    {
        CultureInfo.DefaultThreadCurrentCulture = CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        var driver = new Driver(new ContentManager(arguments[0]));
        using (var lines = new StreamReader(Console.OpenStandardInput(), new UTF8Encoding(false)))
        using (var answers = new BinaryWriter(new BufferedStream(Console.OpenStandardOutput(), 1 << 16)))
            for (string line = lines.ReadLine(); line != null; line = lines.ReadLine()) driver.Answer(line.Split('\t'), answers);
    }

    Driver(ContentManager content)
    {
        this.content = content;
    }

    void Answer(string[] line, BinaryWriter answers)
    {
        numbers.Clear();
        string text, kind = "ok";
        try
        {
            text = Do(line[0], line);
        }
        catch (Exception error)
        {
            kind = error.GetType().Name;
            text = error.Message;
        }
        foreach (string part in new[] { kind, text })
        {
            byte[] bytes = Encoding.UTF8.GetBytes(part);
            answers.Write(bytes.Length);
            answers.Write(bytes);
        }
        answers.Write(numbers.Count);
        var all = new byte[numbers.Count * 4];
        Buffer.BlockCopy(numbers.ToArray(), 0, all, 0, all.Length);
        answers.Write(all);
        answers.Flush();
    }

    string Do(string command, string[] line)
    {
        switch (command)
        {
            case "load": return Load(line[1]);
            case "read": content.Load<SkinningData>(line[1]); return "";
            case "merge": character.Merge(content, line[1]); return "";
            case "joints": return string.Join("\n", character.Skeleton.Names);
            case "clips": return Clips();
            case "warnings": return string.Join("\n", character.Warnings);
            case "play": return Play(line) ? "" : player.LastError;
            case "stop": player.Stop(); return "";
            case "update": player.Update(Number(line[1])); return "";
            case "seek": player.Seek(Number(line[1])); return "";
            case "speed": player.Speed = Number(line[1]); return "";
            case "pause": player.IsPaused = line[1] == "on"; return "";
            case "state": return State();
            case "moments": return Moments();
            case "socket": return Socket(line[1]);
            case "skin": foreach (var matrix in player.SkinMatrices) Add(matrix); return "";
            case "vertices": return Vertices();
            case "draw": return Draw();
            case "allocated": return Allocated(int.Parse(line[1]));
            default: throw new ArgumentException("unknown command " + command);
        }
    }

    string Load(string asset)
    {
        var watch = Stopwatch.StartNew();
        character = AnimatedModel.Load(content, asset);
        numbers.Add((float)watch.Elapsed.TotalMilliseconds);
        player = character.CreatePlayer();
        cpu = new CpuSkinnedModel(character);
        return "";
    }

    string Clips()
    {
        var lines = new List<string>();
        foreach (var entry in character.Clips.Entries) lines.Add(entry.Name + "\t" + entry.Tag + "\t" + entry.IsReady);
        return string.Join("\n", lines);
    }

    // Events with all that they say, and markers, of the clip that plays.
    string Moments()
    {
        var lines = new List<string>();
        foreach (var own in player.Clip.Events) lines.Add(own.Time + "\t" + own.Name + "\t" + own.Payload + "\t" + own.Fire);
        foreach (var own in player.Clip.Markers) lines.Add(own.Time + "\t" + own.Name);
        return string.Join("\n", lines);
    }

    string Socket(string name)
    {
        Matrix place;
        if (!player.TrySocket(name, out place)) return "none";
        Add(place);
        return "";
    }

    static double Number(string text)
    {
        return double.Parse(text, NumberStyles.Float);
    }

    bool Play(string[] line)
    {
        var options = new PlayOptions();
        for (int i = 2; i < line.Length; i++)
        {
            string[] pair = line[i].Split('=');
            switch (pair[0])
            {
                case "crossfade": options.Crossfade = Number(pair[1]); break;
                case "reset": options.Reset = true; break;
                case "mode": options.Mode = (LoopMode)Enum.Parse(typeof(LoopMode), pair[1]); break;
                case "times": options.Times = int.Parse(pair[1]); break;
                case "speed": options.Speed = Number(pair[1]); break;
                case "root": options.RootMotion = (RootMotion)Enum.Parse(typeof(RootMotion), pair[1]); break;
                case "sampling": options.Sampling = (Sampling)Enum.Parse(typeof(Sampling), pair[1]); break;
                default: throw new ArgumentException("unknown option " + pair[0]);
            }
        }
        return player.Play(line[1], options);
    }

    // Time, weight, whether it has ended, how far it went; the events as text.
    string State()
    {
        var delta = player.RootDelta;
        numbers.AddRange(new[] { (float)player.Time, player.Weight, player.HasEnded ? 1f : 0f, delta.X, delta.Y, delta.Z });
        var names = new List<string>();
        foreach (var crossed in player.Events) names.Add(crossed.Name);
        return string.Join("\n", names);
    }

    void Add(Matrix m)
    {
        numbers.AddRange(new[] { m.M11, m.M12, m.M13, m.M14, m.M21, m.M22, m.M23, m.M24, m.M31, m.M32, m.M33, m.M34, m.M41, m.M42, m.M43, m.M44 });
    }

    // Positions and normals of all vertices as they are drawn, part by part.
    string Vertices()
    {
        cpu.Update(player);
        var effect = new BasicEffect(content.Device);
        content.Device.Drawn = Drawn;
        cpu.Draw(player, effect, Matrix.Identity, Matrix.Identity, Matrix.Identity);
        content.Device.Drawn = null;
        return "";
    }

    void Drawn(int first, int count)
    {
        var buffer = content.Device.Vertices;
        int stride = buffer.VertexDeclaration.VertexStride;
        var values = new float[count * stride / 4];
        buffer.GetData(first * stride, values, 0, values.Length, 4);
        int position = 0, normal = 0;
        foreach (var element in buffer.VertexDeclaration.GetVertexElements())
        {
            if (element.VertexElementUsage == VertexElementUsage.Position) position = element.Offset;
            if (element.VertexElementUsage == VertexElementUsage.Normal) normal = element.Offset;
        }
        for (int vertex = 0; vertex < values.Length; vertex += stride / 4)
        {
            for (int i = 0; i < 3; i++) numbers.Add(values[vertex + position / 4 + i]);
            for (int i = 0; i < 3; i++) numbers.Add(values[vertex + normal / 4 + i]);
        }
    }

    // How many parts are drawn, and the most bones that one of them gets.
    string Draw()
    {
        int before = content.Device.DrawnParts, most = 0;
        character.Draw(player, Matrix.Identity, Matrix.Identity, Matrix.Identity);
        foreach (var mesh in character.Model.Meshes)
            foreach (var part in mesh.MeshParts)
                if (part.Effect is SkinnedEffect skinned) most = Math.Max(most, skinned.BonesSet);
        numbers.AddRange(new float[] { content.Device.DrawnParts - before, most });
        return "";
    }

    // Bytes that so many frames allocate, with a change of clip and a crossfade every ten frames.
    string Allocated(int frames)
    {
        Frames(20);
        long before = GC.GetAllocatedBytesForCurrentThread();
        Frames(frames);
        numbers.Add(GC.GetAllocatedBytesForCurrentThread() - before);
        return "";
    }

    void Frames(int count)
    {
        var entries = character.Clips.Entries;
        for (int frame = 0; frame < count; frame++)
        {
            if (frame % 10 == 0) player.Play(entries[frame / 10 % entries.Count].Name, PlayOptions.Fading(0.1));
            player.Update(1 / 60.0);
            foreach (var crossed in player.Events)
                if (crossed.Name == null) throw new InvalidOperationException();
            character.Draw(player, Matrix.Identity, Matrix.Identity, Matrix.Identity);
            cpu.Update(player);
        }
    }
}
