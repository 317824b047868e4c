"""The simulated editor as tests need it: plugins of other makers, faults, obstacles, and projects
of any size.

    start.py      runs it as a program; process.py has that program as a child process
    editor.py     FaultyEditor: the product's editor with the orders that only tests give
    plugin.py     FaultyPlugin: answers with planned faults (faults.py), and as other plugins do (dialects.py)
    obstacles.py  what stands in the way of a compile, of play mode and of jobs
    project_file.py  projects from a JSON file, and generated ones

The product needs none of it.
"""
