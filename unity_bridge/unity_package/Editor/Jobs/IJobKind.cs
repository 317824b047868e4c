using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Jobs
{
    /// <summary>
    /// A tool that is carried out as a job. One object per script domain; what belongs to one job is in its
    /// <see cref="IJobRun"/>. It is found by its name in <see cref="Tools.ToolList"/>.
    /// </summary>
    internal interface IJobKind
    {
        /// <summary>The tool's name on the wire.</summary>
        string ToolName { get; }

        /// <summary>Any thread, before there is a job. What is wrong with the arguments, or null.</summary>
        string FaultIn(JsonObject parameters);

        /// <summary>Main thread, in every update while the job is the next one: whether it may begin.</summary>
        Turn MayBegin(Job job);

        /// <summary>Main thread, once in the life of a job: that it started is on disk by now (SPEC §15.6).</summary>
        IJobRun Begin(Job job);

        /// <summary>Main thread. An earlier domain began the job; nothing that it did may be done again.</summary>
        /// <param name="memo">What the run kept last, null if it never did.</param>
        IJobRun GoOn(Job job, JsonObject memo);
    }

    /// <summary>A kind of which some jobs only look, and need not wait until everything else has ended (SPEC
    /// §15.6).</summary>
    internal interface IMayRunDuring
    {
        /// <summary>Main thread. Whether the job may begin while one of the other tool runs. Nothing that waits is
        /// overtaken.</summary>
        bool MayRunDuring(Job job, string runningTool);
    }

    /// <summary>A kind of which some jobs take no turn: they wait for no other job, and none waits for them (SPEC
    /// §15.6, §22.8).</summary>
    internal interface IMayTakeNoTurn
    {
        /// <summary>Main thread. Whether the job is carried out before those that wait and next to any that
        /// runs.</summary>
        bool TakesNoTurn(Job job);
    }

    /// <summary>One job being carried out in one script domain. Main thread only.</summary>
    internal interface IJobRun
    {
        /// <summary>In every update. Null while the job goes on, else how it ended. A cancel and a deadline are seen in
        /// <see cref="Job.StopWanted"/>. An exception ends the job as failed.</summary>
        JobEnd Advance();

        /// <summary>What the next domain needs to go on, asked for before a reload.</summary>
        JsonObject Memo();
    }

    /// <summary>A run in which each update of the editor does work: frames of the game, tests of the
    /// framework.</summary>
    internal interface INeedsEveryUpdate
    {
        bool NeedsEveryUpdate { get; }
    }

    /// <summary>How soon jobs need the editor's next update. Each one also runs the updates of every other
    /// package.</summary>
    internal enum Pace
    {
        Idle,

        /// <summary>A job waits for its turn.</summary>
        Waiting,

        /// <summary>A job waits for something in the editor, or goes on in steps.</summary>
        Working,
        EveryUpdate,
    }

    /// <summary>Whether the next job may begin: now, later, or never and why.</summary>
    internal sealed class Turn
    {
        public static readonly Turn Now = new Turn(null);

        /// <summary>Now, and a cancel is refused from then on.</summary>
        public static readonly Turn NowToItsEnd = new Turn(null);
        public static readonly Turn Later = new Turn(null);

        private Turn(Refusal refusal)
        {
            Refusal = refusal;
        }

        public Refusal Refusal { get; }

        public static Turn Never(Refusal refusal) => new Turn(refusal);
    }
}
