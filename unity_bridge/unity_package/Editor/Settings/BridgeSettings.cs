using System;

namespace UnityBridge.Settings
{
    /// <summary>What the project, the user and the start of this editor say of the bridge.</summary>
    internal sealed class BridgeSettings
    {
        private readonly string _projectPath;
        private readonly SettingsFile _user;
        private readonly SettingsFile _project;

        public BridgeSettings(string projectPath)
        {
            _projectPath = projectPath;
            _user = SettingsFile.OfUser(projectPath);
            _project = SettingsFile.OfProject(projectPath);
        }

        /// <summary>As the sources are now.</summary>
        public PortChoice ChoosePort() => PortChoice.Make(
            Environment.GetCommandLineArgs(), Environment.GetEnvironmentVariable(PortChoice.Variable),
            new[] { _user, _project }, AutomaticPort);

        /// <summary>The port that the project has of itself.</summary>
        public int AutomaticPort() => ProjectPath.AutomaticPort(_projectPath);

        /// <summary>Keeps a port in the file that decides now, else in the project's; answers why it could not, or
        /// null.</summary>
        public string SavePort(object portOrAuto) => (ChoosePort().File ?? _project).Set(PortChoice.Member, portOrAuto);
    }
}
