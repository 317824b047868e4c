using System;
using System.IO;
using System.Text;

namespace UnityBridge.Platform
{
    /// <summary>Small text files that anybody may have put there: read if they are ordinary, replaced whole, never
    /// waited for.</summary>
    internal static class OrdinaryFile
    {
        private const int MostBytes = 64 * 1024;

        private static readonly UTF8Encoding StrictUtf8 = new UTF8Encoding(false, true);

        /// <summary>The text of a file of at most 64 KiB of UTF-8. Null where there is none, and where <paramref
        /// name="fault"/> says what is wrong with the one that is there. A link is not followed, and a pipe is not
        /// waited for.</summary>
        public static string Read(string path, bool isPrivate, out string fault)
        {
            fault = null;
            try
            {
                var content = Host.Name == Host.Windows
                    ? ReadOnWindows(path, out fault)
                    : ReadOnPosix(path, isPrivate, out fault);
                if (content == null)
                {
                    return null;
                }
                if (content.Length > MostBytes)
                {
                    fault = "it is over 64 KiB";
                    return null;
                }
                var text = StrictUtf8.GetString(content);
                return text.Length > 0 && text[0] == '\uFEFF' ? text.Substring(1) : text;
            }
            catch (DecoderFallbackException)
            {
                fault = "it is not UTF-8";
            }
            catch (Exception failure) when (
                failure is IOException or UnauthorizedAccessException or DllNotFoundException
                or EntryPointNotFoundException)
            {
                fault = failure.Message;
            }
            return null;
        }

        /// <summary>Puts a new file that only this user can read in the place of whatever is there, a link
        /// included.</summary>
        /// <exception cref="IOException">It could not, or <see cref="UnauthorizedAccessException"/>.</exception>
        public static void Replace(string path, string text)
        {
            var content = StrictUtf8.GetBytes(text);
            var draft = path + "-" + Guid.NewGuid().ToString("N");
            try
            {
                if (Host.Name == Host.Windows)
                {
                    FilesOnDisk.WriteNew(draft, content);
                }
                else
                {
                    draft = Posix.WriteNew(path + "-", content);
                }
                FilesOnDisk.PutInPlace(draft, path);
            }
            catch
            {
                if (File.Exists(draft))
                {
                    File.Delete(draft);
                }
                throw;
            }
        }

        private static byte[] ReadOnPosix(string path, bool isPrivate, out string fault)
        {
            fault = null;
            var descriptor = Posix.OpenToRead(path, out var error);
            if (descriptor < 0)
            {
                fault = error is Posix.NoEntry or Posix.NotAFolder ? null
                    : Posix.IsLink(error) ? "it is a link"
                    : Posix.Failure("it cannot be opened", error).Message;
                return null;
            }
            try
            {
                if (isPrivate ? Posix.IsPrivateFile(descriptor) : Posix.IsOrdinaryFile(descriptor))
                {
                    return Posix.Read(descriptor, MostBytes + 1);
                }
                fault = isPrivate ? "it is not a file that only this user can read" : "it is not a file";
                return null;
            }
            finally
            {
                Posix.Close(descriptor);
            }
        }

        private static byte[] ReadOnWindows(string path, out string fault)
        {
            fault = null;
            FileAttributes attributes;
            try
            {
                attributes = File.GetAttributes(path);
            }
            catch (Exception missing) when (missing is FileNotFoundException or DirectoryNotFoundException)
            {
                return null;
            }
            if ((attributes & (FileAttributes.Directory | FileAttributes.Device)) != 0)
            {
                fault = "it is not a file";
                return null;
            }
            if ((attributes & FileAttributes.ReparsePoint) != 0)
            {
                fault = "it is a link";
                return null;
            }
            return FilesOnDisk.ReadUpTo(path, MostBytes + 1);
        }
    }
}
