// A stand-in for the framework, written for this test: the types and members that contrib/monogame uses, and no more. Row vectors, as XNA's.
using System;

namespace Microsoft.Xna.Framework
{
    public static class MathHelper
    {
        public const float PiOver4 = (float)(Math.PI / 4);

        public static float Clamp(float value, float low, float high)
        {
            return value < low ? low : value > high ? high : value;
        }

        public static float WrapAngle(float angle)
        {
            return (float)Math.IEEERemainder(angle, 2 * Math.PI);
        }
    }

    public struct Vector3
    {
        public float X, Y, Z;

        public Vector3(float x, float y, float z)
        {
            X = x;
            Y = y;
            Z = z;
        }

        public static Vector3 Zero { get { return new Vector3(); } }
        public static Vector3 Up { get { return new Vector3(0, 1, 0); } }

        public float LengthSquared()
        {
            return X * X + Y * Y + Z * Z;
        }

        public float Length()
        {
            return (float)Math.Sqrt(LengthSquared());
        }

        public static Vector3 operator +(Vector3 a, Vector3 b)
        {
            return new Vector3(a.X + b.X, a.Y + b.Y, a.Z + b.Z);
        }

        public static Vector3 operator -(Vector3 a, Vector3 b)
        {
            return new Vector3(a.X - b.X, a.Y - b.Y, a.Z - b.Z);
        }

        public static Vector3 operator -(Vector3 a)
        {
            return new Vector3(-a.X, -a.Y, -a.Z);
        }

        public static Vector3 operator *(Vector3 a, float factor)
        {
            return new Vector3(a.X * factor, a.Y * factor, a.Z * factor);
        }

        public static float Dot(Vector3 a, Vector3 b)
        {
            return a.X * b.X + a.Y * b.Y + a.Z * b.Z;
        }

        public static Vector3 Cross(Vector3 a, Vector3 b)
        {
            return new Vector3(a.Y * b.Z - a.Z * b.Y, a.Z * b.X - a.X * b.Z, a.X * b.Y - a.Y * b.X);
        }

        public static Vector3 Lerp(Vector3 a, Vector3 b, float weight)
        {
            return a + (b - a) * weight;
        }

        public static Vector3 Transform(Vector3 v, Matrix m)
        {
            Vector3 result;
            Transform(ref v, ref m, out result);
            return result;
        }

        public static void Transform(ref Vector3 v, ref Matrix m, out Vector3 result)
        {
            result = new Vector3(
                v.X * m.M11 + v.Y * m.M21 + v.Z * m.M31 + m.M41,
                v.X * m.M12 + v.Y * m.M22 + v.Z * m.M32 + m.M42,
                v.X * m.M13 + v.Y * m.M23 + v.Z * m.M33 + m.M43);
        }
    }

    public struct Vector4
    {
        public float X, Y, Z, W;

        public Vector4(float x, float y, float z, float w)
        {
            X = x;
            Y = y;
            Z = z;
            W = w;
        }
    }

    public struct Quaternion
    {
        public float X, Y, Z, W;

        public Quaternion(float x, float y, float z, float w)
        {
            X = x;
            Y = y;
            Z = z;
            W = w;
        }

        public static Quaternion Identity { get { return new Quaternion(0, 0, 0, 1); } }

        public static Quaternion operator *(Quaternion a, float factor)
        {
            return new Quaternion(a.X * factor, a.Y * factor, a.Z * factor, a.W * factor);
        }

        public static Quaternion operator +(Quaternion a, Quaternion b)
        {
            return new Quaternion(a.X + b.X, a.Y + b.Y, a.Z + b.Z, a.W + b.W);
        }

        public float LengthSquared()
        {
            return X * X + Y * Y + Z * Z + W * W;
        }
    }

    public struct Matrix
    {
        public float M11, M12, M13, M14, M21, M22, M23, M24, M31, M32, M33, M34, M41, M42, M43, M44;

        public Matrix(
            float m11, float m12, float m13, float m14, float m21, float m22, float m23, float m24,
            float m31, float m32, float m33, float m34, float m41, float m42, float m43, float m44)
        {
            M11 = m11; M12 = m12; M13 = m13; M14 = m14;
            M21 = m21; M22 = m22; M23 = m23; M24 = m24;
            M31 = m31; M32 = m32; M33 = m33; M34 = m34;
            M41 = m41; M42 = m42; M43 = m43; M44 = m44;
        }

        public static Matrix Identity { get { return new Matrix(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1); } }

        public static void Multiply(ref Matrix a, ref Matrix b, out Matrix result)
        {
            result = new Matrix(
                Cell(a.M11, a.M12, a.M13, a.M14, b.M11, b.M21, b.M31, b.M41), Cell(a.M11, a.M12, a.M13, a.M14, b.M12, b.M22, b.M32, b.M42),
                Cell(a.M11, a.M12, a.M13, a.M14, b.M13, b.M23, b.M33, b.M43), Cell(a.M11, a.M12, a.M13, a.M14, b.M14, b.M24, b.M34, b.M44),
                Cell(a.M21, a.M22, a.M23, a.M24, b.M11, b.M21, b.M31, b.M41), Cell(a.M21, a.M22, a.M23, a.M24, b.M12, b.M22, b.M32, b.M42),
                Cell(a.M21, a.M22, a.M23, a.M24, b.M13, b.M23, b.M33, b.M43), Cell(a.M21, a.M22, a.M23, a.M24, b.M14, b.M24, b.M34, b.M44),
                Cell(a.M31, a.M32, a.M33, a.M34, b.M11, b.M21, b.M31, b.M41), Cell(a.M31, a.M32, a.M33, a.M34, b.M12, b.M22, b.M32, b.M42),
                Cell(a.M31, a.M32, a.M33, a.M34, b.M13, b.M23, b.M33, b.M43), Cell(a.M31, a.M32, a.M33, a.M34, b.M14, b.M24, b.M34, b.M44),
                Cell(a.M41, a.M42, a.M43, a.M44, b.M11, b.M21, b.M31, b.M41), Cell(a.M41, a.M42, a.M43, a.M44, b.M12, b.M22, b.M32, b.M42),
                Cell(a.M41, a.M42, a.M43, a.M44, b.M13, b.M23, b.M33, b.M43), Cell(a.M41, a.M42, a.M43, a.M44, b.M14, b.M24, b.M34, b.M44));
        }

        static float Cell(float a, float b, float c, float d, float x, float y, float z, float w)
        {
            return a * x + b * y + c * z + d * w;
        }

        public static Matrix operator *(Matrix a, Matrix b)
        {
            Matrix result;
            Multiply(ref a, ref b, out result);
            return result;
        }

        public static void CreateFromQuaternion(ref Quaternion q, out Matrix result)
        {
            float xx = q.X * q.X, yy = q.Y * q.Y, zz = q.Z * q.Z, xy = q.X * q.Y, xz = q.X * q.Z, yz = q.Y * q.Z;
            float xw = q.X * q.W, yw = q.Y * q.W, zw = q.Z * q.W;
            result = new Matrix(
                1 - 2 * (yy + zz), 2 * (xy + zw), 2 * (xz - yw), 0,
                2 * (xy - zw), 1 - 2 * (xx + zz), 2 * (yz + xw), 0,
                2 * (xz + yw), 2 * (yz - xw), 1 - 2 * (xx + yy), 0,
                0, 0, 0, 1);
        }

        public static Matrix CreateTranslation(Vector3 to)
        {
            return new Matrix(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, to.X, to.Y, to.Z, 1);
        }

        public static Matrix CreateRotationY(float angle)
        {
            float s = (float)Math.Sin(angle), c = (float)Math.Cos(angle);
            return new Matrix(c, 0, -s, 0, 0, 1, 0, 0, s, 0, c, 0, 0, 0, 0, 1);
        }

        // The camera of the sample is compiled and never used here.
        public static Matrix CreateLookAt(Vector3 eye, Vector3 target, Vector3 up)
        {
            throw new NotSupportedException();
        }

        public static Matrix CreatePerspectiveFieldOfView(float angle, float aspect, float near, float far)
        {
            throw new NotSupportedException();
        }
    }

    public sealed class GameTime
    {
        public GameTime(TimeSpan total, TimeSpan elapsed)
        {
            ElapsedGameTime = elapsed;
        }

        public TimeSpan ElapsedGameTime { get; private set; }
    }
}
