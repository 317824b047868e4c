namespace Missing
{
    /// <summary>Of an assembly that is there for the compiler only.</summary>
    public sealed class Gone
    {
    }
}
