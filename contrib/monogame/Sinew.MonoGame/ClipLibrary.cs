using System;
using System.Collections.Generic;

namespace Sinew
{
    /// <summary>The clips of a character by name and tag, shared by all its players. Names and tags compare without regard to case.</summary>
    public sealed class ClipLibrary
    {
        /// <summary>The tag that falls back to the first clip.</summary>
        public const string Idle = "Idle";

        readonly List<ClipEntry> entries = new List<ClipEntry>();
        readonly Dictionary<string, ClipEntry> byName = new Dictionary<string, ClipEntry>(StringComparer.OrdinalIgnoreCase);
        readonly Dictionary<string, ClipEntry> byTag = new Dictionary<string, ClipEntry>(StringComparer.OrdinalIgnoreCase);

        /// <summary>Every clip, whether it is loaded or not.</summary>
        public IReadOnlyList<ClipEntry> Entries { get { return entries; } }

        /// <summary>The clip of that name, else the one with that tag; null if there is none. The first clip of a name or tag counts; without a clip for
        /// <c>Idle</c> the first of all is used.</summary>
        public ClipEntry Find(string nameOrTag)
        {
            ClipEntry found;
            if (byName.TryGetValue(nameOrTag, out found) || byTag.TryGetValue(nameOrTag, out found)) return found;
            bool idle = string.Equals(nameOrTag, Idle, StringComparison.OrdinalIgnoreCase);
            return idle && entries.Count > 0 ? entries[0] : null;
        }

        /// <summary>Adds a clip that is loaded.</summary>
        internal void Add(Clip clip)
        {
            Add(new ClipEntry(clip.Name, clip.Tag, clip));
        }

        /// <summary>Adds a clip that is loaded when it is first asked for.</summary>
        internal void Add(string name, string tag, Func<Clip> load)
        {
            Add(new ClipEntry(name, tag, load));
        }

        void Add(ClipEntry entry)
        {
            entries.Add(entry);
            if (!byName.ContainsKey(entry.Name)) byName.Add(entry.Name, entry);
            if (entry.Tag != null && !byTag.ContainsKey(entry.Tag)) byTag.Add(entry.Tag, entry);
        }
    }

    /// <summary>One clip of a library.</summary>
    public sealed class ClipEntry
    {
        Clip clip;
        Func<Clip> load;

        internal ClipEntry(string name, string tag, Clip clip)
        {
            Name = name;
            Tag = tag;
            this.clip = clip;
        }

        internal ClipEntry(string name, string tag, Func<Clip> load)
        {
            Name = name;
            Tag = tag;
            this.load = load;
        }

        /// <summary>Its name.</summary>
        public string Name { get; private set; }

        /// <summary>What it is for, or null.</summary>
        public string Tag { get; private set; }

        /// <summary>Whether it plays without loading.</summary>
        public bool IsReady { get { return clip != null; } }

        /// <summary>Why it could not be loaded, or null. A clip that failed is not tried again.</summary>
        public string Error { get; private set; }

        /// <summary>The clip, loaded if it was not before; null if it cannot be. Call it ahead of time so that no frame waits for it.</summary>
        public Clip Load()
        {
            if (load == null) return clip;
            try
            {
                clip = load();
            }
            catch (Exception error)
            {
                Error = error.Message;
            }
            load = null;
            return clip;
        }
    }
}
