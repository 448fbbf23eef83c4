using System;
using Microsoft.Xna.Framework;

namespace Sinew
{
    /// <summary>Translation, rotation and scale of a joint, relative to its parent.</summary>
    public struct Transform
    {
        /// <summary>Where the joint is.</summary>
        public Vector3 Translation;

        /// <summary>How it is turned: a unit quaternion.</summary>
        public Quaternion Rotation;

        /// <summary>How it is stretched.</summary>
        public Vector3 Scale;

        // Below this angle a straight line, normalised, is the arc to within the rounding of a float.
        const float NearlyParallel = 0.9995f;

        /// <summary>The matrix <c>scale * rotation * translation</c>, for row vectors as everywhere in XNA.</summary>
        public void ToMatrix(out Matrix result)
        {
            Matrix.CreateFromQuaternion(ref Rotation, out result);
            result.M11 *= Scale.X; result.M12 *= Scale.X; result.M13 *= Scale.X;
            result.M21 *= Scale.Y; result.M22 *= Scale.Y; result.M23 *= Scale.Y;
            result.M31 *= Scale.Z; result.M32 *= Scale.Z; result.M33 *= Scale.Z;
            result.M41 = Translation.X; result.M42 = Translation.Y; result.M43 = Translation.Z;
        }

        /// <summary>Takes a matrix without shear apart. A mirroring one gets a negative scale along X.</summary>
        public static Transform FromMatrix(ref Matrix m)
        {
            var x = new Vector3(m.M11, m.M12, m.M13);
            var y = new Vector3(m.M21, m.M22, m.M23);
            var z = new Vector3(m.M31, m.M32, m.M33);
            var scale = new Vector3(x.Length(), y.Length(), z.Length());
            if (Vector3.Dot(Vector3.Cross(x, y), z) < 0) scale.X = -scale.X;
            return new Transform
            {
                Translation = new Vector3(m.M41, m.M42, m.M43),
                Rotation = RotationOf(Over(x, scale.X), Over(y, scale.Y), Over(z, scale.Z)),
                Scale = scale,
            };
        }

        static Vector3 Over(Vector3 row, float length)
        {
            return length == 0 ? row : new Vector3(row.X / length, row.Y / length, row.Z / length);
        }

        /// <summary>The quaternion of three unit rows at right angles, by the largest of its four components.</summary>
        static Quaternion RotationOf(Vector3 x, Vector3 y, Vector3 z)
        {
            float trace = x.X + y.Y + z.Z;
            Quaternion q;
            if (trace >= x.X && trace >= y.Y && trace >= z.Z)
                q = new Quaternion(y.Z - z.Y, z.X - x.Z, x.Y - y.X, 1 + trace);
            else if (x.X >= y.Y && x.X >= z.Z)
                q = new Quaternion(1 + x.X - y.Y - z.Z, x.Y + y.X, z.X + x.Z, y.Z - z.Y);
            else if (y.Y >= z.Z)
                q = new Quaternion(x.Y + y.X, 1 + y.Y - x.X - z.Z, y.Z + z.Y, z.X - x.Z);
            else
                q = new Quaternion(z.X + x.Z, y.Z + z.Y, 1 + z.Z - x.X - y.Y, x.Y - y.X);
            return Normalized(q);
        }

        /// <summary>Between two poses of a joint: translation and scale on a line, rotation by normalised lerp on the shorter way.</summary>
        public static void Blend(ref Transform from, ref Transform to, float weight, out Transform result)
        {
            Mix(ref from.Translation, ref to.Translation, weight, out result.Translation);
            Mix(ref from.Scale, ref to.Scale, weight, out result.Scale);
            Lerp(ref from.Rotation, ref to.Rotation, weight, out result.Rotation);
        }

        /// <summary>Begins a weighted sum.</summary>
        internal static void Begin(ref Transform from, float weight, out Transform sum)
        {
            sum.Translation = from.Translation * weight;
            sum.Scale = from.Scale * weight;
            sum.Rotation = from.Rotation * weight;
        }

        /// <summary>Adds to a weighted sum, rotations on the side of what it holds.</summary>
        internal static void Add(ref Transform other, float weight, ref Transform sum)
        {
            sum.Translation += other.Translation * weight;
            sum.Scale += other.Scale * weight;
            var a = sum.Rotation;
            var b = other.Rotation;
            float dot = a.X * b.X + a.Y * b.Y + a.Z * b.Z + a.W * b.W;
            sum.Rotation += b * (dot < 0 ? -weight : weight);
        }

        /// <summary>The transform that a weighted sum means.</summary>
        internal static void End(ref Transform sum, out Transform result)
        {
            result = sum;
            var none = new Quaternion();
            result.Rotation = Sum(ref sum.Rotation, 1, ref none, 0);
        }

        static void Lerp(ref Quaternion a, ref Quaternion b, float weight, out Quaternion result)
        {
            float dot = a.X * b.X + a.Y * b.Y + a.Z * b.Z + a.W * b.W;
            result = Sum(ref a, 1 - weight, ref b, dot < 0 ? -weight : weight);
        }

        internal static void Mix(ref Vector3 from, ref Vector3 to, float weight, out Vector3 result)
        {
            result.X = from.X + (to.X - from.X) * weight;
            result.Y = from.Y + (to.Y - from.Y) * weight;
            result.Z = from.Z + (to.Z - from.Z) * weight;
        }

        /// <summary>On the shortest arc. The framework's own neither normalises nor agrees with the other run times near its ends.</summary>
        internal static void Slerp(ref Quaternion a, ref Quaternion b, float weight, out Quaternion result)
        {
            float dot = a.X * b.X + a.Y * b.Y + a.Z * b.Z + a.W * b.W;
            float sign = dot < 0 ? -1 : 1;
            float fromShare = 1 - weight, toShare = weight;
            if (dot * sign <= NearlyParallel)
            {
                double angle = Math.Acos(dot * sign), inverseSine = 1 / Math.Sin(angle);
                fromShare = (float)(Math.Sin((1 - weight) * angle) * inverseSine);
                toShare = (float)(Math.Sin(weight * angle) * inverseSine);
            }
            result = Sum(ref a, fromShare, ref b, toShare * sign);
        }

        static Quaternion Sum(ref Quaternion a, float fromShare, ref Quaternion b, float toShare)
        {
            return Normalized(new Quaternion(
                a.X * fromShare + b.X * toShare,
                a.Y * fromShare + b.Y * toShare,
                a.Z * fromShare + b.Z * toShare,
                a.W * fromShare + b.W * toShare));
        }

        static Quaternion Normalized(Quaternion q)
        {
            float square = q.X * q.X + q.Y * q.Y + q.Z * q.Z + q.W * q.W;
            if (!(square > 1.2e-38f && square < float.PositiveInfinity)) return Quaternion.Identity;
            float inverse = (float)(1 / Math.Sqrt(square));
            return new Quaternion(q.X * inverse, q.Y * inverse, q.Z * inverse, q.W * inverse);
        }
    }
}
