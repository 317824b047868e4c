using System;
using System.Collections;
using System.Linq;
using System.Reflection;

namespace UnityEngine.TestTools
{
    [AttributeUsage(AttributeTargets.Method)]
    public class UnityTestAttribute : Attribute
    {
    }
}

namespace UnityEditor.TestTools.TestRunner.Api
{
    /// <summary>A test method of the project's own scripts: it is called, and one that yields goes on in the next
    /// update.</summary>
    internal static class CalledTest
    {
        private static string _name;
        private static IEnumerator _steps;

        /// <summary>Whether it has ended; then the test's kind says how.</summary>
        public static bool Advance(FakeTest test)
        {
            try
            {
                if (_name != test.FullName) _steps = Begin(test.FullName);
                _name = test.FullName;
                if (_steps != null && _steps.MoveNext()) return false;
                test.Kind = "pass";
            }
            catch (Exception thrown)
            {
                var cause = thrown is TargetInvocationException ? thrown.InnerException : thrown;
                test.Kind = "fail";
                test.Text = cause.Message;
            }
            _name = null;
            _steps = null;
            return true;
        }

        private static IEnumerator Begin(string name)
        {
            var dot = name.LastIndexOf('.');
            var type = AppDomain.CurrentDomain.GetAssemblies()
                .Select(assembly => assembly.GetType(name.Substring(0, dot))).First(found => found != null);
            return type.GetMethod(name.Substring(dot + 1)).Invoke(Activator.CreateInstance(type), null) as IEnumerator;
        }
    }
}
