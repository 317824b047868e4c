namespace Scratch
{
    public static class Value
    {
        public static readonly int Number = 1;
    }
}
