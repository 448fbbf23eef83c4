using System;
using System.Collections.Generic;
using Microsoft.Xna.Framework;
using Microsoft.Xna.Framework.Content;
using Microsoft.Xna.Framework.Graphics;

namespace Sinew
{
    /// <summary>
    /// A character: the model, its skeleton and its clips. Loaded once and shared by any number of <see cref="AnimationPlayer"/>s, one for each
    /// instance on the screen.
    /// </summary>
    public sealed class AnimatedModel
    {
        readonly List<string> warnings = new List<string>();
        readonly ModelPart[] parts;
        string folder = "";

        /// <summary>The model, as <c>Content.Load&lt;Model&gt;</c> gives it.</summary>
        public Model Model { get; private set; }

        /// <summary>The joints; joint <c>i</c> is <c>Model.Bones[i]</c>.</summary>
        public Skeleton Skeleton { get; private set; }

        /// <summary>The clips, those that were merged included.</summary>
        public ClipLibrary Clips { get; private set; }

        /// <summary>What was odd: joints that merged clips move and the model does not have, data of a newer version.</summary>
        public IReadOnlyList<string> Warnings { get { return warnings; } }

        internal IReadOnlyList<ModelPart> Parts { get { return parts; } }

        /// <summary>Loads a character that <c>sinew build</c> wrote.</summary>
        public static AnimatedModel Load(ContentManager content, string asset)
        {
            var character = new AnimatedModel(content.Load<Model>(asset), asset);
            int slash = asset.LastIndexOfAny(new[] { '/', '\\' });
            character.folder = asset.Substring(0, slash + 1);
            character.AddLazyClips(content, (SkinningData)character.Model.Tag);
            return character;
        }

        AnimatedModel(Model model, string asset)
        {
            var data = model.Tag as SkinningData;
            if (data == null) throw new ContentLoadException("'" + asset + "': Model.Tag " + WhatIs(model.Tag));
            if (data.Skeleton.InverseBinds == null || data.Skeleton.Count != model.Bones.Count)
                throw new ContentLoadException("'" + asset + "': its SkinningData does not fit the model. Build it again");
            Model = model;
            Skeleton = data.Skeleton;
            if (Skeleton.Names == null) Skeleton.Names = NamesOf(model);
            Clips = new ClipLibrary();
            warnings.AddRange(data.Warnings);
            foreach (var clip in data.Clips) Clips.Add(clip);
            parts = ModelPart.All(model, data, asset);
        }

        static string WhatIs(object tag)
        {
            return tag == null
                ? "is null: this file was not written by `sinew build` with targets = [\"monogame\"]"
                : "is a " + tag.GetType().FullName + " and no Sinew.SkinningData: see the key `reader` of sinew.toml";
        }

        static string[] NamesOf(Model model)
        {
            var names = new string[model.Bones.Count];
            for (int i = 0; i < names.Length; i++) names[i] = model.Bones[i].Name ?? "";
            return names;
        }

        void AddLazyClips(ContentManager content, SkinningData data)
        {
            foreach (var lazy in data.LazyClips)
            {
                string asset = folder + lazy.Asset, name = lazy.Name;
                Clips.Add(name, lazy.Tag, () => LoadLazy(content, asset, name));
            }
        }

        Clip LoadLazy(ContentManager content, string asset, string name)
        {
            var data = content.Load<SkinningData>(asset);
            foreach (var clip in data.Clips)
                if (clip.Name == name) return new ClipMerge(data.Skeleton, Skeleton, warnings).Apply(clip);
            throw new ContentLoadException("'" + asset + "' has no clip '" + name + "'. Build it again");
        }

        /// <summary>
        /// Adds the clips of other files (clips alone, or whole characters) by the names of their joints. Of clips with one name the first counts.
        /// Joints that this model does not have are left out, and listed in <see cref="Warnings"/>.
        /// </summary>
        public void Merge(ContentManager content, params string[] assets)
        {
            foreach (string asset in assets)
            {
                object loaded = content.Load<object>(asset);
                var model = loaded as Model;
                var data = (model == null ? loaded : model.Tag) as SkinningData;
                if (data == null) throw new ContentLoadException("'" + asset + "' has no SkinningData to merge");
                Merge(data);
            }
        }

        /// <summary>Adds clips by the names of their joints.</summary>
        public void Merge(SkinningData data)
        {
            var merge = new ClipMerge(data.Skeleton, Skeleton, warnings);
            foreach (var clip in data.Clips) Clips.Add(merge.Apply(clip));
        }

        /// <summary>A new instance, at rest.</summary>
        public AnimationPlayer CreatePlayer()
        {
            return new AnimationPlayer(Skeleton, Clips);
        }

        /// <summary>Three lights for all effects of the model.</summary>
        public void EnableDefaultLighting()
        {
            foreach (var part in parts)
            {
                var lit = part.Part.Effect as IEffectLights;
                if (lit != null) lit.EnableDefaultLighting();
            }
        }

        /// <summary>
        /// Draws one instance with the model's effects. Skinned parts get their skin matrices (<c>SkinnedEffect</c>, or a parameter <c>Bones</c>), rigid
        /// parts the matrix of their joint. Effects that do not skin need a <see cref="CpuSkinnedModel"/>.
        /// </summary>
        public void Draw(AnimationPlayer player, Matrix world, Matrix view, Matrix projection)
        {
            foreach (var part in parts)
            {
                var effect = part.Part.Effect;
                var place = world;
                if (part.IsSkinned) EffectValues.SetBones(effect, part.Bones(player.SkinMatrices));
                else Matrix.Multiply(ref player.ModelMatrices[part.Joint], ref world, out place);
                EffectValues.SetMatrices(effect, ref place, ref view, ref projection);
                part.Draw(effect, part.Part.VertexBuffer);
            }
        }
    }
}
