/* Scripts\python.exe of a virtual environment: runs the Python that pyvenv.cfg names, as that environment's own.
   It waits for it, passes on its exit status, and takes it along when it is ended itself, as CPython's does. */
#include <stdio.h>
#include <wchar.h>
#include <windows.h>

#define LENGTH 2048

static int failed(const wchar_t *what)
{
    fwprintf(stderr, L"redirector: %ls: error %lu\n", what, GetLastError());
    return 101;
}

/* Writes the value of `home` in pyvenv.cfg, which lies next to the executable or one folder up. */
static int read_home(const wchar_t *own, wchar_t *home)
{
    wchar_t path[LENGTH], line[LENGTH];
    for (int up = 1; up <= 2; up++) {
        wcscpy(path, own);
        for (int n = 0; n < up; n++)
            *wcsrchr(path, L'\\') = L'\0';
        wcscat(path, L"\\pyvenv.cfg");
        FILE *file = _wfopen(path, L"rt, ccs=UTF-8");
        if (file == NULL)
            continue;
        int found = 0;
        while (!found && fgetws(line, LENGTH, file))
            found = swscanf(line, L"home = %2000l[^\r\n]", home) == 1;
        fclose(file);
        return found;
    }
    return 0;
}

/* What follows the program's own name. */
static const wchar_t *arguments(const wchar_t *line)
{
    wchar_t end = *line == L'"' ? L'"' : L' ';
    for (line++; *line && *line != end; line++)
        ;
    return *line == L'"' ? line + 1 : line;
}

int wmain(void)
{
    static wchar_t own[LENGTH], home[LENGTH], program[LENGTH + 16], command[32768];
    GetModuleFileNameW(NULL, own, LENGTH);
    if (!read_home(own, home))
        return failed(L"no home in pyvenv.cfg");
    swprintf(program, LENGTH + 16, L"%ls\\python.exe", home);
    SetEnvironmentVariableW(L"__PYVENV_LAUNCHER__", own);

    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {0};
    HANDLE job = CreateJobObjectW(NULL, NULL);
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_SILENT_BREAKAWAY_OK;
    SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);

    STARTUPINFOW startup;
    PROCESS_INFORMATION process;
    GetStartupInfoW(&startup);
    /* Python takes its first argument for the one that the environment was made with (sys._base_executable). */
    _snwprintf(command, 32767, L"\"%ls\"%ls", program, arguments(GetCommandLineW()));
    if (!CreateProcessW(program, command, NULL, NULL, TRUE, 0, NULL, NULL, &startup, &process))
        return failed(program);
    AssignProcessToJobObject(job, process.hProcess);
    SetConsoleCtrlHandler(NULL, TRUE); /* Ctrl-C is for the child to act on */
    CloseHandle(process.hThread);
    WaitForSingleObject(process.hProcess, INFINITE);
    DWORD status = 101;
    GetExitCodeProcess(process.hProcess, &status);
    return (int)status;
}
