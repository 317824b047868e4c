using System;
using System.Collections;

namespace NUnit.Framework
{
    [AttributeUsage(AttributeTargets.Method)]
    public class TestAttribute : Attribute
    {
    }

    [AttributeUsage(AttributeTargets.Class)]
    public class TestFixtureAttribute : Attribute
    {
    }

    [AttributeUsage(AttributeTargets.Method | AttributeTargets.Class)]
    public class CategoryAttribute : Attribute
    {
        public CategoryAttribute(string name)
        {
            Name = name;
        }

        public string Name { get; private set; }
    }

    public class AssertionException : Exception
    {
        public AssertionException(string message) : base(message)
        {
        }
    }

    /// <summary>The few assertions that the package's own tests use, with NUnit's names and meaning.</summary>
    public class Assert
    {
        public static void AreEqual(object expected, object actual)
        {
            var expectedList = expected as IList;
            var actualList = actual as IList;
            if (expectedList != null && actualList != null)
            {
                AreEqual(expectedList.Count, actualList.Count);
                for (var i = 0; i < expectedList.Count; i++) AreEqual(expectedList[i], actualList[i]);
                return;
            }
            if (!Equals(expected, actual) && !SameNumber(expected, actual))
            {
                throw new AssertionException("expected <" + expected + "> but was <" + actual + ">");
            }
        }

        public static void IsTrue(bool condition)
        {
            AreEqual(true, condition);
        }

        public static void Fail(string message)
        {
            throw new AssertionException(message);
        }

        public static void IsFalse(bool condition)
        {
            AreEqual(false, condition);
        }

        public static void IsNull(object value)
        {
            AreEqual(null, value);
        }

        public static void IsNotNull(object value)
        {
            AreEqual(false, value == null);
        }

        private static bool SameNumber(object a, object b)
        {
            return a is IConvertible && b is IConvertible && !(a is string) && !(b is string)
                && Convert.ToDouble(a) == Convert.ToDouble(b);
        }
    }
}
