@echo off
rem Runs the checks in cmd and PowerShell. The Microsoft Store's Python, conda and uv bring no py.
py -3 -c "" >nul 2>nul
if errorlevel 1 goto python
py -3 "%~dp0test" %*
exit /b %errorlevel%
:python
python "%~dp0test" %*
exit /b %errorlevel%
