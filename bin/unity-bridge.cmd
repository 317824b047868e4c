@echo off
rem Starts unity-bridge from a clone in cmd and PowerShell. The Microsoft Store's Python, conda and uv bring no py.
rem cmd looks into the working directory first, unless this variable is set; PATH is searched alone then.
setlocal
set "NoDefaultCurrentDirectoryInExePath=1"
set "launcher=%SystemRoot%\py.exe"
if not exist "%launcher%" set "launcher=py"
"%launcher%" -3 -c "" >nul 2>nul
if errorlevel 1 goto python
"%launcher%" -3 "%~dp0unity-bridge" %*
exit /b %errorlevel%
:python
python "%~dp0unity-bridge" %*
exit /b %errorlevel%
