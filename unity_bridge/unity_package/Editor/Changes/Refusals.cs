using System;
using System.Collections.Generic;
using System.Linq;
using UnityBridge.Framework;
using UnityBridge.Wire;

namespace UnityBridge.Changes
{
    /// <summary>What does not fit in one call. All of it is named at once, as far as a refusal has room: a call is put
    /// right in one go.</summary>
    internal sealed class Refusals
    {
        private const int MostChars = 430;

        private readonly List<CommandRefused> _refused = new List<CommandRefused>();

        public void Try(Action read)
        {
            try
            {
                read();
            }
            // A refusal with a reason is about more than this part of the call.
            catch (CommandRefused wrong) when (wrong.Refusal.Code == ErrorCode.InvalidParams)
            {
                _refused.Add(wrong);
            }
        }

        /// <summary>What was read; the default where it does not fit.</summary>
        public T Try<T>(Func<T> read)
        {
            T value = default;
            Try(() => { value = read(); });
            return value;
        }

        /// <summary>Throws if something did not fit.</summary>
        public void Throw()
        {
            var faults = _refused.ConvertAll(wrong => wrong.Refusal.Message.Replace(ChangeTarget.Unchanged, ""));
            var length = 0;
            var shown = faults.TakeWhile(fault => (length += fault.Length + 1) <= MostChars).ToList();
            var rest = faults.Count - shown.Count;
            if (faults.Count > 0)
            {
                throw faults.Count == 1 || shown.Count == 0 ? _refused[0] : ChangeTarget.Refused(
                    string.Join(" ", shown) + (rest == 0 ? "" : " " + rest + " more do not fit."));
            }
        }
    }
}
