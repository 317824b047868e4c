using System;
using System.Collections.Generic;
using UnityEngine;

namespace Game.Editor
{
    /// <summary>What Unity's serializer takes, and what it does not.</summary>
    public class GameData : ScriptableObject
    {
        [Serializable]
        public struct Loot
        {
            public int amount;
        }

        public const int Most = 3;
        public static int Count;
        public readonly int Fixed = 1;
        public int price;
        public List<Loot> loot;
        public Vector3[] places;
        public GameObject prefab;
        public Dictionary<string, int> byName;
        public Action changed;
        [NonSerialized] public int cached;
        [SerializeField] private string title;
        private int _hidden;

        public int Price { get { return price + _hidden; } }

        public T Find<T>(string name, ref int at, Loot fallback = default(Loot), params int[] more)
            where T : ScriptableObject
        {
            return title == name ? null : null;
        }
    }
}
