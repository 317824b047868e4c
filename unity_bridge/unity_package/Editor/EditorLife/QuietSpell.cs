namespace UnityBridge.EditorLife
{
    /// <summary>For how long the editor has neither compiled nor imported. Main thread.</summary>
    internal sealed class QuietSpell
    {
        private readonly TickClock _ticks;
        private long? _sinceMs;

        public QuietSpell(TickClock ticks)
        {
            _ticks = ticks;
        }

        /// <summary>To be asked in every update.</summary>
        public bool HasLasted(long ms)
        {
            _ticks.Tick();
            _sinceMs = EditorReadiness.IsBusy ? (long?)null : _sinceMs ?? _ticks.Ms;
            return _sinceMs != null && _ticks.Ms - _sinceMs >= ms;
        }

        public void Restart() => _sinceMs = null;
    }
}
