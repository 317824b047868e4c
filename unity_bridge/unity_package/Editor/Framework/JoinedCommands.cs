namespace UnityBridge.Framework
{
    /// <summary>
    /// The commands of this package whose equal calls may be taken for one (hello.joins, SPEC §15.7). Two calls of any
    /// other one are two: what changes an object is not done once for both.
    /// </summary>
    /// <remarks>A list, because a hello may leave before Unity knows the types of the domain.</remarks>
    internal static class JoinedCommands
    {
        public static readonly string[] Names =
            ("bake_lighting bake_navmesh build_player clear_console generate_code_project_wide get_selection "
            + "import_assets_bulk list_assets list_scenes list_tests menu open_scene packages ping save_all select")
            .Split(' ');
    }
}
