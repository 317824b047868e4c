"""Names that models and users of other bridges guess for a command or a tool, and the names here
that do the same.

Written before the table of synonyms was measured with them (``tests/catalogue/test_synonyms.py``): from the tools of
CoplayDev/unity-mcp, CoderGamester/mcp-unity, IvanMurzak/Unity-MCP, AnkleBreaker-Studio/unity-mcp-server,
akiojin/unity-mcp-server, hatayama/unity-cli-loop and com.unity.pipeline, from Unity's API and menus, and from what
agents have been seen to try. Each right answer is any of the names; with none, the right answer names nothing.
"""

from __future__ import annotations

from typing import Mapping, Tuple


def _rows(text: str) -> Mapping[str, Tuple[str, ...]]:
    rows = (line.partition(":") for line in text.strip().splitlines())
    return {guess.strip(): tuple(right.split()) for guess, _, right in rows}


GUESSED_NAMES = _rows(
    """
    create_gameobject: create_object
    createGameObject: create_object
    gameobject-create: create_object
    GameObject.Create: create_object
    new_game_object: create_object
    make_object: create_object
    add_object_to_scene: create_object
    create_cube: create_object
    make_sphere: create_object
    spawn_cube: create_object
    add_cube: create_object
    CreatePrimitive: create_object
    create_empty: create_object
    create_light: create_object
    add_light: create_object add_component
    create_camera: create_object
    create_ui_button: create_object
    create_button: create_object
    create_canvas: create_object
    create_text: create_object
    duplicate_gameobject: create_object
    clone_object: create_object
    instantiate_prefab: create_object
    prefab_instantiate: create_object
    spawn_prefab: create_object
    add_asset_to_scene: create_object
    delete_gameobject: delete_object
    destroy_object: delete_object
    remove_gameobject: delete_object
    gameobject-destroy: delete_object
    set_active: set_fields
    SetActive: set_fields
    enable_gameobject: set_fields
    set_transform: set_fields
    set_position: set_fields
    set_local_position: set_fields
    move_gameobject: set_fields move_object
    translate_object: set_fields
    rotate_gameobject: set_fields
    scale_gameobject: set_fields
    rename_gameobject: set_fields
    set_tag: set_fields
    set_layer: set_fields
    set_component_property: set_fields
    update_component: set_fields add_component
    modify_component: set_fields
    set_property: set_fields
    set_value: set_fields
    set_light_intensity: set_fields
    set_material_color: set_fields
    assign_material: set_fields
    modify_gameobject: set_fields
    set_parent: move_object
    reparent_gameobject: move_object
    gameobject-set-parent: move_object
    AddComponent: add_component
    component_add: add_component
    attach_script: add_component
    add_rigidbody: add_component
    delete_component: remove_component
    component-remove: remove_component
    create_material: create_asset
    make_material: create_asset
    create_prefab: create_asset
    save_as_prefab: create_asset
    prefab_create: create_asset
    create_scriptable_object: create_asset
    create_folder: create_asset
    add_asset: create_asset
    make_folder: create_asset
    rename_asset: move_asset
    duplicate_asset: copy_asset
    assets-delete: delete_asset
    find_assets: list_assets
    search_assets: list_assets
    get_assets: list_assets
    import_asset: import_assets_bulk
    reimport: import_assets_bulk
    new_scene: create_scene
    scene-create: create_scene
    load_scene: open_scene
    scene_open: open_scene
    save_scene_as: save_scene
    save_current_scene: save_scene
    save: save_all
    save_project: save_all
    get_scenes: list_scenes
    get_active_scene: list_scenes inspect
    add_scene_to_build: build_scenes
    get_build_settings: build_scenes
    edit_prefab: open_prefab set_fields
    open_prefab_stage: open_prefab
    exit_prefab_mode: close_prefab
    apply_prefab: apply_overrides
    revert_prefab: revert_overrides
    build: build_player
    build_game: build_player
    install_package: packages
    add_package: packages
    list_packages: packages
    execute_menu_item: menu
    run_menu_item: menu
    get_selected_objects: get_selection
    select_gameobject: select
    set_selection: select
    bake_lightmaps: bake_lighting
    build_navmesh: bake_navmesh
    batch_execute: batch
    multi_edit: batch
    click_button: ui_click
    click_ui_element: ui_click
    type_text: ui_text
    send_keys: press
    simulate_keyboard: press
    wait_for_condition: wait_for
    profiler_start: profile
    search_api: find_api
    get_type_info: find_api
    add_onclick_listener: add_listener
    clear_logs: clear_console
    console_clear: clear_console
    get_tests: list_tests
    execute_code: run_csharp
    eval: run_csharp
    script-execute: run_csharp
    execute_csharp_script: run_csharp
    undo: undo
    create_animation_clip: create_asset
    add_tag: tags
    raycast: run_csharp
    get_hierarchy: inspect
    get_scene_hierarchy: inspect
    find_gameobjects: inspect
    get_component: inspect
    get_gameobject_details: inspect
    list_children: inspect
    get_ui_elements: inspect
    get_console_logs: read_console
    read_logs: read_console
    get_errors: read_console compile
    tests-run: run_tests
    run_all_tests: run_tests
    recompile_scripts: compile
    refresh_assets: compile
    refresh_unity: compile
    create_script: compile
    write_script: compile
    manage_script: compile
    manage_gameobject: create_object set_fields move_object delete_object
    manage_scene: open_scene create_scene save_scene inspect
    manage_prefabs: create_asset open_prefab close_prefab apply_overrides
    manage_asset: create_asset copy_asset move_asset delete_asset list_assets
    enter_play_mode: play_mode
    start_playing: play_mode
    stop_game: play_mode
    take_screenshot: screenshot
    capture_game_view: screenshot
    get_project_info: get_editor_state
    is_compiling: get_editor_state
    clear_consol: clear_console
    opne_scene: open_scene
    createobject: create_object
    set_field: set_fields
    think:
    web_search:
    send_email:
    get_weather:
    list_files:
    git_commit:
    login:
    move_files:
    save_game:
    load_level:
    set_score:
    create_user:
    delete_account:
    """
)
