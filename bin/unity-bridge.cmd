@echo off
rem Starts unity-bridge from a clone in cmd and PowerShell. The Microsoft Store's Python, conda and uv bring no py.
py -3 -c "" >nul 2>nul
if errorlevel 1 goto python
py -3 "%~dp0unity-bridge" %*
exit /b %errorlevel%
:python
python "%~dp0unity-bridge" %*
exit /b %errorlevel%
