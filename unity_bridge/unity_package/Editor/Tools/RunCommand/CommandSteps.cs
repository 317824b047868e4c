using System;
using System.Collections;
using System.Collections.Generic;
using System.Reflection;
using UnityBridge.Platform;

namespace UnityBridge.Tools
{
    /// <summary>What a command's method gave back, followed to its end: one step per editor update. Main
    /// thread.</summary>
    /// <remarks>Whatever can be awaited counts as awaitable, by the compiler's own rule: tasks, Unity's Awaitable,
    /// UniTask.</remarks>
    internal sealed class CommandSteps
    {
        private readonly Stack<IEnumerator> _steps = new Stack<IEnumerator>();
        private Awaited _awaited;
        private object _yielded;

        public CommandSteps(object given)
        {
            Take(given);
        }

        /// <summary>True once it is over; what it came to is in <see cref="Value"/>. Throws what the command
        /// throws.</summary>
        public bool Advance()
        {
            if (_awaited != null)
            {
                if (!_awaited.IsCompleted)
                {
                    return false;
                }
                var awaited = _awaited;
                _awaited = null;
                Value = awaited.Result();
            }
            if (_steps.Count == 0)
            {
                return true;
            }
            if (IsStillBusy(_yielded))
            {
                return false;
            }
            _yielded = null;
            if (_steps.Peek().MoveNext())
            {
                Take(_steps.Peek().Current);
            }
            else
            {
                (_steps.Pop() as IDisposable)?.Dispose();
            }
            return _steps.Count == 0 && _awaited == null;
        }

        /// <summary>The result of the method, or of its task; of steps, the last value that they yielded.</summary>
        public object Value { get; private set; }

        /// <summary>Ends the steps where they are; their finally blocks run. What is awaited goes on without
        /// us.</summary>
        public void Abandon()
        {
            while (_steps.Count > 0)
            {
                (_steps.Pop() as IDisposable)?.Dispose();
            }
        }

        private void Take(object given)
        {
            // What a method that yields an IEnumerable gives back is both, and a value.
            if (given is IEnumerator steps && given is not IEnumerable)
            {
                _steps.Push(steps);
                return;
            }
            _awaited = Awaited.FromReturned(given);
            if (_awaited != null)
            {
                return;
            }
            if (given is UnityEngine.YieldInstruction)
            {
                _yielded = given;
            }
            else if (given != null || _steps.Count == 0)
            {
                Value = given;
            }
        }

        // The other instructions belong to play mode; here each of them is a step.
        private static bool IsStillBusy(object yielded) =>
            yielded is UnityEngine.AsyncOperation operation && !operation.isDone;

        /// <summary>Something with an awaiter.</summary>
        private sealed class Awaited
        {
            private readonly object _awaiter;
            private readonly PropertyInfo _isCompleted;
            private readonly MethodInfo _getResult;

            private Awaited(object awaiter, PropertyInfo isCompleted, MethodInfo getResult)
            {
                _awaiter = awaiter;
                _isCompleted = isCompleted;
                _getResult = getResult;
            }

            public bool IsCompleted => (bool)_isCompleted.GetValue(_awaiter, null);

            /// <summary>Null for anything that is not awaitable.</summary>
            public static Awaited FromReturned(object given)
            {
                var awaiter = Members.Method(given?.GetType(), "GetAwaiter")?.Invoke(given, null);
                var isCompleted = awaiter?.GetType().GetProperty("IsCompleted");
                var getResult = Members.Method(awaiter?.GetType(), "GetResult");
                return isCompleted == null || getResult == null ? null : new Awaited(awaiter, isCompleted, getResult);
            }

            public object Result()
            {
                var result = _getResult.Invoke(_awaiter, null);
                // What the compiler makes of an async method without a result.
                return result?.GetType().FullName == "System.Threading.Tasks.VoidTaskResult" ? null : result;
            }
        }
    }
}
