"""The systems of the sources, one file each or a few that belong together."""

from collections.abc import Callable

from zwang.nearest import nearest
from zwang.system import System
from zwang.systems.appell_hamel import (
    appell_hamel,
    appell_hamel_ball,
    appell_hamel_ball_heading,
    appell_hamel_ball_steered,
    appell_hamel_body,
    appell_hamel_body_down,
    appell_hamel_centred,
    appell_hamel_centred_down,
    appell_hamel_control,
    appell_hamel_down,
    appell_hamel_limit,
    appell_hamel_massless,
    appell_hamel_massless_down,
)
from zwang.systems.blades import chaplygin_sleigh, knife_edge, skate
from zwang.systems.block import block
from zwang.systems.car import car, car_front_drive, car_guided, car_steered
from zwang.systems.disks import coin_on_incline, rolling_disk, rolling_disk_vertical
from zwang.systems.gauss_example import gauss_example_31
from zwang.systems.nonlinear import constant_speed_particle, parallel_velocities
from zwang.systems.pendulum import (
    pendulum_variable_length,
    spherical_pendulum,
    spherical_pendulum_cartesian,
)
from zwang.systems.sphere_pair import sphere_pair, sphere_pair_moving

CATALOGUE: dict[str, Callable[[], System]] = {
    declare.__name__: declare
    for declare in (
        car,
        car_steered,
        car_guided,
        car_front_drive,
        appell_hamel,
        appell_hamel_massless,
        appell_hamel_centred,
        appell_hamel_body,
        appell_hamel_down,
        appell_hamel_massless_down,
        appell_hamel_centred_down,
        appell_hamel_body_down,
        appell_hamel_limit,
        appell_hamel_ball,
        appell_hamel_ball_heading,
        appell_hamel_ball_steered,
        appell_hamel_control,
        spherical_pendulum,
        spherical_pendulum_cartesian,
        pendulum_variable_length,
        sphere_pair,
        sphere_pair_moving,
        skate,
        knife_edge,
        block,
        chaplygin_sleigh,
        rolling_disk_vertical,
        rolling_disk,
        coin_on_incline,
        constant_speed_particle,
        parallel_velocities,
        gauss_example_31,
    )
}


def load(name: str) -> System:
    """Return the system of this name."""
    if name not in CATALOGUE:
        raise ValueError(f"no system {name!r}; {nearest(name, CATALOGUE)}")
    return CATALOGUE[name]()


__all__ = [
    "CATALOGUE",
    "appell_hamel",
    "appell_hamel_ball",
    "appell_hamel_ball_heading",
    "appell_hamel_ball_steered",
    "appell_hamel_body",
    "appell_hamel_body_down",
    "appell_hamel_centred",
    "appell_hamel_centred_down",
    "appell_hamel_control",
    "appell_hamel_down",
    "appell_hamel_limit",
    "appell_hamel_massless",
    "appell_hamel_massless_down",
    "block",
    "car",
    "car_front_drive",
    "car_guided",
    "car_steered",
    "chaplygin_sleigh",
    "coin_on_incline",
    "constant_speed_particle",
    "gauss_example_31",
    "knife_edge",
    "load",
    "parallel_velocities",
    "pendulum_variable_length",
    "rolling_disk",
    "rolling_disk_vertical",
    "skate",
    "sphere_pair",
    "sphere_pair_moving",
    "spherical_pendulum",
    "spherical_pendulum_cartesian",
]
