// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// The part of ERC-20 that the pool and the router need.
interface IERC20 {
    function balanceOf(address owner) external view returns (uint256);
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

/// Transfers that revert when they fail. Some tokens answer nothing instead of `true`; both count as done.
library Transfers {
    error TransferFailed(address token);

    function push(IERC20 token, address to, uint256 amount) internal {
        check(token, abi.encodeCall(IERC20.transfer, (to, amount)));
    }

    function pull(IERC20 token, address from, address to, uint256 amount) internal {
        check(token, abi.encodeCall(IERC20.transferFrom, (from, to, amount)));
    }

    function check(IERC20 token, bytes memory call) private {
        (bool ok, bytes memory answer) = address(token).call(call);
        if (!ok && answer.length > 0) {
            // The token's own reason is the better one.
            assembly ("memory-safe") {
                revert(add(answer, 32), mload(answer))
            }
        }
        bool said = answer.length == 0 ? address(token).code.length > 0 : abi.decode(answer, (bool));
        if (!ok || !said) revert TransferFailed(address(token));
    }
}
