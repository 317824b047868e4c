using System.Runtime.CompilerServices;

[assembly: InternalsVisibleTo("HeadlessHost")]
