using System;
using System.IO;
using UnityBridge.Platform;

namespace UnityBridge.Trust
{
    /// <summary>The secret's file where the folder's access list keeps others out, as that of a user's profile
    /// does.</summary>
    internal sealed class WindowsSecretFiles : ISecretFiles
    {
        public void MakeFolder(string path) => Directory.CreateDirectory(path);

        public byte[] Read(string path)
        {
            if (!File.Exists(path))
            {
                return null;
            }
            // Another process may still replace the file at the same time.
            var content = FilesOnDisk.ReadUpTo(path, SharedSecret.MostBytes + 1);
            return content.Length is >= SharedSecret.Bytes and <= SharedSecret.MostBytes ? content : null;
        }

        public bool Exists(string path) => File.Exists(path) || Directory.Exists(path);

        public void Delete(string path) => File.Delete(path);

        public string WriteDraft(string folder, byte[] content)
        {
            var draft = Path.Combine(folder, SharedSecret.FileName + "-" + Guid.NewGuid().ToString("N"));
            FilesOnDisk.WriteNew(draft, content);
            return draft;
        }

        public void PutInPlace(string draft, string path)
        {
            try
            {
                File.Move(draft, path);
            }
            catch (IOException) when (File.Exists(path))
            {
            }
        }

        // A sharing violation is an IOException, a file that is being deleted an UnauthorizedAccessException.
        public bool IsBusy(Exception failure) =>
            failure is UnauthorizedAccessException || (failure.HResult & 0xFFFF) is 32 or 33;
    }
}
