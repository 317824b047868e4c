using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using UnityEditor;
using UnityBridge.Changes;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Json;
using UnityBridge.Objects;
using UnityBridge.Platform;
using UnityBridge.Wire;
using Object = UnityEngine.Object;

namespace UnityBridge.Commands
{
    /// <summary>
    /// Carries out several commands in one update and one Undo step, all or nothing (SPEC §16.7). A step is one of the
    /// commands whose declaration says so; each reports into the same answer. Main thread.
    /// </summary>
    internal static class Batch
    {
        private const int MostSteps = 200;

        private static readonly string[] PathArguments =
            "path paths parent from to prefab copy_of target look_at".Split(' ');

        // These change a prefab's file where it is loaded; all others need it on disk.
        private static readonly string[] OfObjects =
            "set_fields create_object move_object delete_object add_component remove_component add_listener".Split(' ');

        private static readonly Pattern Name = new Pattern("^[A-Za-z_][A-Za-z0-9_-]{0,63}$");

        [BridgeCommand(
            "batch",
            "Carries out 1 to 200 steps {name, arguments, as?}, all or nothing, in one Undo step. Steps are "
            + "commands that make or change things. A path $lamp or $lamp/... means what the step with as: lamp made; "
            + "in values {\"$\": \"lamp\"}.",
            Keywords = "transaction")]
        private static JsonObject Run(ChangeCall call, IDictionary<string, object>[] steps)
        {
            if (steps == null || steps.Length == 0 || steps.Length > MostSteps)
            {
                throw ChangeTarget.Refused(
                    "steps has 1 to " + MostSteps
                    + " steps, as in [{\"name\": \"create_object\", \"arguments\": {\"kind\": \"cube\"}}].");
            }
            var named = new HashSet<string>();
            var all = steps.Select((step, number) => Read(call, step, number, named)).ToList();
            call.Named = new Dictionary<string, Object>();
            var number = 0;
            ChangeReport done = null;
            try
            {
                return ChangeReport.OfBatch(call, all.Count == 1 ? "One step" : all.Count + " steps", report =>
                {
                    done = report;
                    try
                    {
                        for (; number < all.Count; number++)
                        {
                            Carry(call, report, all[number]);
                            if (number + 1 == all.Count || !all[number + 1].Continues(call))
                            {
                                report.CloseFile(saved => all.ForEach(step => step.NoteSaved(call, saved)));
                            }
                        }
                    }
                    finally
                    {
                        call.File?.Close();
                    }
                }, () => new JsonObject { { "steps", all.Select(step => step.ToJson()).ToList() } });
            }
            catch (Exception failure)
            {
                throw Failed(call, all[Math.Min(number, all.Count - 1)].Command.Name, number, done,
                    CommandFailure.Cause(failure));
            }
            finally
            {
                call.Named = null;
            }
        }

        private static void Carry(ChangeCall call, ChangeReport report, Step step)
        {
            report.Made = null;
            step.Carry(call);
            step.Made = report.Made;
            if (step.As != null)
            {
                call.Named[step.As] = step.Made != null ? step.Made
                    : throw ChangeTarget.Refused("The step " + step.As + " (" + step.Command.Name + ") made nothing.");
            }
        }

        private static Step Read(ChangeCall call, IDictionary<string, object> given, int number, HashSet<string> named)
        {
            CommandRefused Wrong(string why) => ChangeTarget.Refused("Step " + number + " " + why);
            given = given == null ? null : Renamed(given);
            if (given == null || given.Keys.Any(key => !(key is "name" or "arguments" or "as"))
                || !(given.TryGetValue("name", out var name) && name is string text))
            {
                throw Wrong("must be an object with name (a command), arguments and as, and nothing else.");
            }
            var command = CommandList.OfThisDomain.Get(text, out var refusal);
            if (command == null || !command.IsStep)
            {
                throw Wrong(NoStep(text, command));
            }
            var arguments = given.TryGetValue("arguments", out var said) ? said as JsonObject : new JsonObject();
            if (arguments == null)
            {
                throw Wrong("has arguments that are no object.");
            }
            arguments = ArgumentMeaning.Understood(command, arguments, call.Remarks);
            foreach (var reference in References(arguments).Where(name => !named.Contains(name)))
            {
                throw Wrong("(" + text + ") refers to $" + Quoted.Text(reference) + ", and no earlier step has as: "
                    + Quoted.Text(reference) + ".");
            }
            if (CommandArguments.Convert(command, arguments, out refusal) == null)
            {
                throw Wrong("does not fit. " + refusal.Message);
            }
            var called = given.TryGetValue("as", out var given_as) ? given_as : null;
            if (called != null && (!(called is string one_name) || !Name.Value.IsMatch(one_name)
                || !named.Add(one_name)))
            {
                throw Wrong(
                    "has an as that is no name of its own: letters, digits, _ and -, and no other step has it.");
            }
            return new Step(command, arguments, called as string);
        }

        private static string NoStep(string name, Command command)
        {
            var steps = CommandList.OfThisDomain.All.Where(step => step.IsStep).Select(step => step.Name).ToList();
            var meant = steps.Find(step => Spelling.IsSlip(name, step));
            return "is " + Quoted.Text(name) + ". "
                + (command != null ? "Call it by itself, before or after the batch. "
                : meant != null ? "The nearest is " + meant + ". " : "")
                + "A step is one of " + string.Join(", ", steps) + ".";
        }

        // As other bridges call the members of a step.
        private static IDictionary<string, object> Renamed(IDictionary<string, object> step)
        {
            var renamed = new JsonObject();
            foreach (var member in step)
            {
                var name = member.Key is "tool" or "command" ? "name"
                    : member.Key is "params" or "args" or "parameters" ? "arguments" : member.Key;
                renamed[step.ContainsKey(name) ? member.Key : name] = member.Value;
            }
            return renamed;
        }

        // The names that a step's arguments refer to.
        private static IEnumerable<string> References(JsonObject arguments) =>
            arguments.Where(argument => MayRefer(argument.Key))
            .SelectMany(argument => InValue(argument.Value, argument.Key != "values"));

        private static bool MayRefer(string argument) => argument == "values" || PathArguments.Contains(argument);

        private static IEnumerable<string> InValue(object value, bool isPath) => value switch
        {
            string text when isPath && text.Begins("$") =>
                new[] { text.Substring(1).Split('/')[0] },
            JsonObject members => IsReference(members)
            ? new[] { members.Text("$") }
            : members.Values.SelectMany(member => InValue(member, false)),
            List<object> items => items.SelectMany(item => InValue(item, isPath)),
            _ => Enumerable.Empty<string>(),
        };

        private static bool IsReference(JsonObject members) => members.Count == 1 && members.Text("$") != null;

        // An object of a scene keeps its $name, which ObjectFinder resolves wherever it is by then; the path of a file
        // may be needed as text.
        private static string Resolved(ChangeCall call, string text)
        {
            var slash = text.IndexOf('/');
            var name = slash < 0 ? text.Substring(1) : text.Substring(1, slash - 1);
            var target = call.Named.TryGetValue(name, out var found) ? found : null;
            if (target == null)
            {
                throw ChangeTarget.Refused("$" + name + " was deleted by an earlier step.");
            }
            return EditorUtility.IsPersistent(target)
                ? ChangeTarget.PathOf(target) + (slash < 0 ? "" : text.Substring(slash))
                : text;
        }

        private static object ResolvedValue(ChangeCall call, object value, bool isPath)
        {
            if (value is List<object> items)
            {
                return items.ConvertAll(item => ResolvedValue(call, item, isPath));
            }
            if (!(value is JsonObject members))
            {
                return isPath && value is string text && text.Begins("$")
                    ? Resolved(call, text)
                    : value;
            }
            var resolved = new JsonObject();
            if (IsReference(members))
            {
                resolved["path"] = Resolved(call, "$" + members.Text("$"));
                return resolved;
            }
            foreach (var member in members)
            {
                resolved[member.Key] = ResolvedValue(call, member.Value, false);
            }
            return resolved;
        }

        // The step's own reason stays; whether scripts have run nobody knows.
        private static CommandRefused Failed(
            ChangeCall call, string name, int number, ChangeReport done, Exception cause)
        {
            var refusal = CommandFailure.RefusalOf(name, cause);
            var details = new JsonObject(refusal.Details);
            if (!details.ContainsKey("reason"))
            {
                details["reason"] = "arguments";
            }
            var stays = done.Files.Stays;
            // Its own check refused the first step: nothing was done, and nothing is to be taken back. What it had
            // staged in a prefab's contents before the check for room is gone with these.
            var guarantee = (string)refusal.Details.Get("execution_guarantee");
            if (number == 0 && cause is CommandRefused && stays.Count == 0
                && (guarantee == "not_executed" || (guarantee == null && !done.HasChanges)))
            {
                details["execution_guarantee"] = "not_executed";
                return new CommandRefused(
                    new Refusal(ErrorCode.UnityExecution,
                        "Nothing was done, because step 0 (" + name + ") was refused. " + refusal.Message,
                    details));
            }
            details["execution_guarantee"] = "completed_error";
            details["batch"] = new JsonObject { { "step", (long)number }, { "name", name },
                { "taken_back", (long)number }, { "stays", stays } };
            return new CommandRefused(
                new Refusal(ErrorCode.UnityExecution,
                    "Step " + number + " (" + name + ") failed, and everything before it was taken back"
                + (stays.Count == 0 ? "" : ", except " + done.Files.StaysInWords) + ". "
                + MessageNow(call, refusal.Message, cause), details));
        }

        // What earlier steps had made, moved or deleted is taken back by now.
        private static string MessageNow(ChangeCall call, string message, Exception cause)
        {
            if (!(cause is CommandRefused { Missing: { } missing })
                || missing.Path.Begins("$"))
            {
                return message;
            }
            var fault = ObjectFinder.Look(call, missing.Path).Fault;
            return message.Replace(missing.Fault,
                fault ?? "it is there again, and an earlier step had moved or deleted it.");
        }

        private sealed class Step
        {
            private readonly JsonObject _arguments;

            public Step(Command command, JsonObject arguments, string name)
            {
                Command = command;
                _arguments = arguments;
                As = name;
            }

            public Command Command { get; }

            public string As { get; }

            public Object Made { get; set; }

            public void Carry(ChangeCall call)
            {
                var resolved = new JsonObject();
                foreach (var argument in _arguments)
                {
                    resolved[argument.Key] = MayRefer(argument.Key)
                        ? ResolvedValue(call, argument.Value, argument.Key != "values")
                        : argument.Value;
                }
                var values = CommandArguments.Convert(Command, resolved, out var refusal);
                if (values == null)
                {
                    throw new CommandRefused(refusal);
                }
                Refuse.WhereUnityAsks(Reactions.EffectsOf(Command.Name));
                try
                {
                    Command.Method.Invoke(null,
                        Command.Parameters.Select((parameter, place) => parameter.IsCall ? call : values[place])
                        .ToArray());
                }
                catch (TargetInvocationException thrown) when (thrown.InnerException is CommandRefused refused)
                {
                    throw new CommandRefused(refused.Refusal) { Missing = refused.Missing };
                }
            }

            /// <summary>Whether it changes the prefab's file that is open, and needs nothing of it on disk.</summary>
            public bool Continues(ChangeCall call)
            {
                var places = new[] { "path", "parent" }.Select(_arguments.Text).Where(path => path != null).ToList();
                return call.File != null && OfObjects.Contains(Command.Name) && places.Count > 0
                    && places.TrueForAll(path => LeadsInto(call, path));
            }

            private static bool LeadsInto(ChangeCall call, string path) => path == call.File.Path
                || path.Begins(call.File.Path + "/")
                || (path.Begins("$")
                    && call.Named.TryGetValue(path.Substring(1).Split('/')[0], out var made) && made != null
                    && call.Holds(made));

            /// <summary>What it made in a prefab's contents is the object of the file then.</summary>
            public void NoteSaved(ChangeCall call, Dictionary<Object, Object> saved)
            {
                if (Made == null || !saved.TryGetValue(Made, out var made))
                {
                    return;
                }
                Made = made;
                if (As != null)
                {
                    call.Named[As] = made;
                }
            }

            public JsonObject ToJson()
            {
                var json = new JsonObject();
                json.AddIfAny("as", As);
                if (Made != null)
                {
                    json["path"] = ChangeTarget.PathOf(Made);
                }
                return json;
            }
        }
    }
}
