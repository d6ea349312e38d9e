"""What the studies' wheel holds: studies, and inside it the folders of the checkout that it reads.

Students install it: labs call the studies, which read what was published.
"""

from pathlib import Path

from setuptools import find_packages, setup

READ = {"studies.data": Path("../data"), "studies.scorecards": Path("../notebooks/scorecards")}
folders = {
    ".".join([package, *path.relative_to(folder).parts]): path.as_posix()
    for package, folder in READ.items()
    for path in [folder, *sorted(folder.rglob("*"))]
    if path.is_dir()
}

setup(
    packages=["studies", *(f"studies.{name}" for name in find_packages()), *folders],
    package_dir={"studies": ".", **folders},
    package_data={"": ["*.csv", "*.json", "*.md", "*.toml"], "studies": ["template/**/*"]},
    exclude_package_data={"studies": ["template/**/__pycache__/*"]},
)
