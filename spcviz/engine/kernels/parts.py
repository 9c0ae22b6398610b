"""What only kernels call is compiled into its callers and nowhere else.

Numba compiles every function as if Python called it: machine code, a wrapper, a file in the cache; and once
more into each kernel that calls it, where it is optimised again. Most functions are only ever called by
kernels: ours, and numba's own, such as `np.empty`. Such a *part* needs neither of these: it is typed and
lowered, and its code waits for the kernel that Python calls. That takes two thirds of the time.

Numba's own functions already say that Python does not call them (``no_cpython_wrapper``); ours get a second
dispatcher that says so, for calls from kernels. This leans on numba's inside: only versions of `KNOWN` are
touched, any other compiles everything by itself, as does ``SPCVIZ_PARTS=0`` (with a JIT folder of its own).
"""

import os
from typing import Any

import llvmlite.binding
import numba
from numba.core import codegen, cpu, targetconfig, types
from numba.core.environment import lookup_environment
from numba.core.typing import templates

KNOWN = ((0, 68),)
"""Versions of numba whose inside is known; another is added when the tests pass with it."""

_ENVIRONMENT = "_ZN08NumbaEnv"  # what names of environments begin with: constants of a function, its errors


_NO_VECTORS = {"loop_vectorize": False, "slp_vectorize": False}


class Library(codegen.JITCodeLibrary):
    """The code of one compiled function and of all that it calls.

    Attributes
    ----------
    is_part : bool
        Whether machine code is left to the callers.
    """

    is_part = False
    _bitcode = None

    def get_pointer_to_function(self, name: str) -> int:
        """Address of a function, 0 if there is none; here numba asks for machine code first."""
        flags = targetconfig.ConfigStack.top_or_none()
        if not self._finalized and flags is not None:
            self.is_part = flags.no_cpython_wrapper
        return super().get_pointer_to_function(name)

    def _optimize_functions(self, ll_module: Any) -> None:
        # As numba's, which makes the passes for functions without a body too: half of them, and it is slow.
        # Tidying up is enough here: the kernel that a function ends in is optimised as a whole.
        ll_module.data_layout = self._codegen._data_layout
        for function in ll_module.functions:
            if not function.is_declaration:
                passes, builder = self._codegen._function_pass_manager(opt=1, **_NO_VECTORS)
                passes.run(function, builder)

    def _optimize_final_module(self) -> None:
        if not self.is_part:
            super()._optimize_final_module()

    def _finalize_final_module(self) -> None:
        if self.is_part:
            self._finalize_dynamic_globals()
            self._finalized = True
            return
        super()._finalize_final_module()
        for variable in self._final_module.global_variables:
            found = lookup_environment(variable.name) if variable.name.startswith(_ENVIRONMENT) else None
            if found is not None:  # that of a part, which had no address until now
                self._codegen.set_env(variable.name, found)

    def serialize_using_object_code(self) -> tuple:
        """What the cache keeps: as numba's, with the names that are defined."""
        name, kind, (machine_code, bitcode) = super().serialize_using_object_code()
        return name, kind, (machine_code, bitcode, _defined(self._get_module_for_linking()))

    @classmethod
    def _unserialize(cls, generator: Any, state: Any) -> Any:
        # As numba's, but for the bitcode, which only a kernel that is compiled now would read: most of the
        # memory of what is loaded.
        name, kind, data = state
        if kind != "object" or len(data) != 3:
            return super()._unserialize(generator, state)
        self = generator.create_library(name)
        self.enable_object_caching()
        self._set_compiled_object(data[0])
        self._bitcode = data[1]
        self._finalize_final_module()
        generator._engine._defined_symbols |= data[2]
        return self

    def _get_module_for_linking(self) -> Any:
        if self._bitcode is not None:
            self._shared_module, self._bitcode = llvmlite.binding.parse_bitcode(self._bitcode), None
        return super()._get_module_for_linking()


def _defined(module: Any) -> set[str]:
    """Names of what a module defines."""
    return {
        v.name for own in (module.functions, module.global_variables) for v in own if not v.is_declaration
    }


class Codegen(codegen.JITCPUCodegen):
    """What makes libraries; its instance is numba's own, see `install`."""

    _library_class = Library

    def set_env(self, env_name: str, env: Any) -> None:
        """Tell compiled code where a function's constants are, once there is code."""
        if self._engine.is_symbol_defined(env_name):
            super().set_env(env_name, env)


def _options(config: Any) -> dict[str, Any]:
    """All options of a compilation by name. Numba reads each through a property, a million times a minute."""
    own = config._values
    return {name: own.get(name, option.default) for name, option in config.options.items()}


_SIZES: dict[str, int] = {}


def _size(context: Any, kind: Any) -> int:
    """Bytes of a type. Numba writes and parses a module for each answer, for each variable of a function."""
    text = str(kind)
    if "%" in text:  # a struct with a name, which may be another one elsewhere
        return kind.get_abi_size(context.target_data)
    if text not in _SIZES:
        _SIZES[text] = kind.get_abi_size(context.target_data)
    return _SIZES[text]


def _implementation(template: Any, args: Any, kws: Any) -> Any:
    """As numba's `_get_impl`; callers are told apart by the options that such a function inherits."""
    flags = targetconfig.ConfigStack.top_or_none()
    inherited = flags and (
        flags.nrt, frozenset(flags.fastmath.flags), flags.error_model, flags.forceinline, flags.debuginfo
    )  # fmt: skip
    key = template.context, tuple(args), tuple(kws.items()), inherited
    return template._impl_cache.get(key) or template._build_impl(key, args, kws)


def is_known() -> bool:
    """Whether this numba may be changed."""
    version = tuple(int(own) for own in numba.__version__.split(".")[:2])
    return version in KNOWN and os.environ.get("SPCVIZ_PARTS", "1") != "0"


def install() -> bool:
    """Compile parts as parts from now on, in this process; whether this numba can."""
    if not is_known():
        return False
    from numba.core.registry import cpu_target

    targetconfig.TargetConfig.values = _options
    cpu.CPUContext.get_abi_sizeof = _size
    templates._OverloadFunctionTemplate._get_impl = _implementation
    inside = cpu_target.target_context.codegen()
    if type(inside) is codegen.JITCPUCodegen:
        inside.__class__ = Codegen
    return type(inside) is Codegen


def shared_with_kernels(dispatcher: Any, function: Any, options: dict[str, Any]) -> Any:
    """Let other kernels call a kernel as a part; returns the dispatcher.

    Parameters
    ----------
    dispatcher : numba dispatcher
        What Python calls; what it has compiled or finds in the cache, kernels call too.
    function : callable
    options : dict
        As for `numba.njit`.
    """
    if not is_known():
        return _without_literals(dispatcher)
    part = numba.njit(no_cpython_wrapper=True, **options)(function)
    part._compiling_counter = dispatcher._compiling_counter  # by this numba knows recursion

    def is_there(kinds: tuple) -> bool:
        if kinds in dispatcher.overloads or kinds in part.overloads:
            return kinds in dispatcher.overloads
        return dispatcher._cache.load_overload(kinds, dispatcher.targetctx) is not None

    called = dispatcher.get_call_template, part.get_call_template
    found = dispatcher.get_overload, part.get_overload

    def template(args: Any, kws: Any) -> Any:
        """What a kernel calls for some types."""
        args, kws = _plain(args, kws)
        kinds = tuple(part._compiler.fold_argument_types(args, kws)[1])
        return called[not is_there(kinds)](args, kws)

    def overload(kinds: Any) -> Any:
        return found[tuple(kinds) not in dispatcher.overloads](kinds)

    dispatcher.part, dispatcher.get_call_template, dispatcher.get_overload = part, template, overload
    return dispatcher


def _without_literals(dispatcher: Any) -> Any:
    """What kernels call is what Python calls."""
    called = dispatcher.get_call_template
    dispatcher.get_call_template = lambda args, kws: called(*_plain(args, kws))
    return dispatcher


def _plain(args: Any, kws: Any) -> tuple[tuple, dict]:
    """Types of arguments: ``f(1)``, ``f(-1)`` and ``f(n)`` share one compilation."""
    return tuple(map(types.unliteral, args)), {name: types.unliteral(kind) for name, kind in kws.items()}
