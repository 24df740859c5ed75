"""Executable skill packs: `load_skill("send-message").run(to="Grace", text="see you at 5")`."""

from gui_agent.skills.pack import Parameter, Skill, list_skills, load_skill, save_skill, skill_folders

__all__ = ["Parameter", "Skill", "list_skills", "load_skill", "save_skill", "skill_folders"]
