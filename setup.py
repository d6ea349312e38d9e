"""What the wheel holds: perfkit, and inside it the folders of the checkout that it reads."""

from pathlib import Path

from setuptools import find_packages, setup

READ = {"perfkit.data": "data", "perfkit.scorecards": "notebooks/scorecards"}
folders = {
    ".".join([package, *path.relative_to(folder).parts]): path.as_posix()
    for package, folder in READ.items()
    for path in [Path(folder), *sorted(Path(folder).rglob("*"))]
    if path.is_dir()
}

setup(
    packages=[*find_packages(include=["perfkit*"]), *folders],
    package_dir=folders,
    package_data={"perfkit": ["py.typed"], "": ["*.csv", "*.json", "*.md"]},
)
