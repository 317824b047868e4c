using UnityEngine;

namespace Scratch
{
    public class ItemData : ScriptableObject
    {
        public int price;
        public string title;
    }
}
