using Microsoft.Xna.Framework;
using Microsoft.Xna.Framework.Graphics;

namespace Sinew
{
    /// <summary>Hands values to an effect: through the framework's interfaces, else to parameters of the usual names.</summary>
    static class EffectValues
    {
        public static void SetBones(Effect effect, Matrix[] bones)
        {
            var skinned = effect as SkinnedEffect;
            if (skinned != null)
            {
                skinned.SetBoneTransforms(bones);
                return;
            }
            var parameter = effect.Parameters["Bones"];
            if (parameter != null) parameter.SetValue(bones);
        }

        public static void SetMatrices(Effect effect, ref Matrix world, ref Matrix view, ref Matrix projection)
        {
            var stock = effect as IEffectMatrices;
            if (stock != null)
            {
                stock.World = world;
                stock.View = view;
                stock.Projection = projection;
                return;
            }
            Set(effect, "World", ref world);
            Set(effect, "View", ref view);
            Set(effect, "Projection", ref projection);
            if (effect.Parameters["WorldViewProjection"] == null) return;
            Matrix all;
            Matrix.Multiply(ref world, ref view, out all);
            Matrix.Multiply(ref all, ref projection, out all);
            Set(effect, "WorldViewProjection", ref all);
        }

        static void Set(Effect effect, string name, ref Matrix value)
        {
            var parameter = effect.Parameters[name];
            if (parameter != null) parameter.SetValue(value);
        }

        /// <summary>Gives an effect the texture of another: all stock effects call it <c>Texture</c>.</summary>
        public static void CopyTexture(Effect from, Effect to)
        {
            var source = from == null ? null : from.Parameters["Texture"];
            var target = to.Parameters["Texture"];
            if (source != null && target != null && from != to) target.SetValue(source.GetValueTexture2D());
        }
    }
}
