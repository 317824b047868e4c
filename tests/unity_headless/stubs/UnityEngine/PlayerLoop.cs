using System;
using System.Collections.Generic;
using System.Linq;

namespace UnityEngine.PlayerLoop
{
    public struct EarlyUpdate
    {
        public struct UpdateMainGameViewRect { }
    }

    public struct Update
    {
        public struct ScriptRunBehaviourUpdate { }
    }

    public struct PostLateUpdate
    {
        public struct PlayerUpdateCanvases { }
    }
}

// Runtime/Export/PlayerLoop/PlayerLoop.bindings.cs, 2021.3 to 6000.7.
namespace UnityEngine.LowLevel
{
    public struct PlayerLoopSystem
    {
        public delegate void UpdateFunction();

        public Type type;
        public PlayerLoopSystem[] subSystemList;
        public UpdateFunction updateDelegate;
        public IntPtr updateFunction;
        public IntPtr loopConditionFunction;
    }

    public class PlayerLoop
    {
        private static PlayerLoopSystem _loop = Group(
            null, Group(typeof(UnityEngine.PlayerLoop.EarlyUpdate),
                Leaf<UnityEngine.PlayerLoop.EarlyUpdate.UpdateMainGameViewRect>()),
            Group(typeof(UnityEngine.PlayerLoop.Update),
                Leaf<UnityEngine.PlayerLoop.Update.ScriptRunBehaviourUpdate>()),
            Group(typeof(UnityEngine.PlayerLoop.PostLateUpdate),
                Leaf<UnityEngine.PlayerLoop.PostLateUpdate.PlayerUpdateCanvases>()));

        /// <summary>A copy.</summary>
        public static PlayerLoopSystem GetCurrentPlayerLoop()
        {
            Native.RequireMainThread("PlayerLoop.GetCurrentPlayerLoop");
            return Copy(_loop);
        }

        public static void SetPlayerLoop(PlayerLoopSystem loop)
        {
            Native.RequireMainThread("PlayerLoop.SetPlayerLoop");
            _loop = Copy(loop);
        }

        /// <summary>The systems that scripts have added.</summary>
        internal static IEnumerable<Type> Added()
        {
            return Below(_loop).Where(one => one.updateDelegate != null).Select(one => one.type);
        }

        /// <summary>One frame of the game. The native half of a system goes by its type; what a delegate throws is
        /// logged.</summary>
        internal static void Run()
        {
            foreach (var system in Below(_loop).ToList())
            {
                if (system.type == typeof(UnityEngine.PlayerLoop.EarlyUpdate.UpdateMainGameViewRect))
                {
                    Screen.IsOfGame = true;
                }
                if (system.type == typeof(UnityEngine.PlayerLoop.Update.ScriptRunBehaviourUpdate)) World.RunScripts();
                if (system.type == typeof(UnityEngine.PlayerLoop.PostLateUpdate.PlayerUpdateCanvases))
                {
                    Canvas.SendWillRenderCanvases();
                }
                if (system.updateDelegate == null) continue;
                try
                {
                    system.updateDelegate();
                }
                catch (Exception thrown)
                {
                    Debug.LogException(thrown);
                }
            }
            Screen.IsOfGame = false;
        }

        private static IEnumerable<PlayerLoopSystem> Below(PlayerLoopSystem top)
        {
            return new[] { top }.Concat((top.subSystemList ?? new PlayerLoopSystem[0]).SelectMany(Below));
        }

        private static PlayerLoopSystem Copy(PlayerLoopSystem system)
        {
            if (system.subSystemList != null) system.subSystemList = system.subSystemList.Select(Copy).ToArray();
            return system;
        }

        private static PlayerLoopSystem Leaf<T>() { return new PlayerLoopSystem { type = typeof(T) }; }

        private static PlayerLoopSystem Group(Type type, params PlayerLoopSystem[] below)
        {
            return new PlayerLoopSystem { type = type, subSystemList = below };
        }
    }
}
